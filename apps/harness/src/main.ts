/** The `harness` process: arguments, environment and signals in, exit code out. */
import { fileURLToPath } from "node:url";
import { CentspanError } from "@centspan/base";
import { runProgram } from "./program.ts";

/** The first signal stops cleanly (programs killed, spans delivered); a second one ends the process at once. */
const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) {
  process.once(name, () => interrupt.abort(new CentspanError("interrupted", `stopped by ${name}`)));
}

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  version: process.env.CENTSPAN_VERSION ?? "0.0.0",
  // Beside `src/` and `dist/` alike.
  tasksDir: fileURLToPath(new URL("../tasks", import.meta.url)),
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  input: process.stdin,
  signal: interrupt.signal,
});
