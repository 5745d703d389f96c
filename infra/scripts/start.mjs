// `npm start`: installs and builds what changed, then hands over to `centspan up` with the same arguments.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { installWhenChanged, quietEnvironment, ROOT, requireNode, runStep, turbo } from "./prepare.mjs";

requireNode();
await installWhenChanged();
const [command, args] = turbo(["build", "--output-logs=errors-only"]);
await runStep("Building what changed", command, args, "The lines above say what does not build.");

const child = spawn(
  process.execPath,
  ["--enable-source-maps", "apps/cli/dist/main.js", "up", ...process.argv.slice(2)],
  {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...quietEnvironment, CENTSPAN_ROOT: join(ROOT) },
  },
);
// The terminal sends Ctrl-C to the whole group; the stack stops itself and this process follows with its exit code.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
child.once("close", (code) => process.exit(code ?? 1));
