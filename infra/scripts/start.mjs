// `npm start`: installs and builds what changed, then hands over to `centspan up` with the same arguments.
import { spawn } from "node:child_process";
import { installWhenChanged, quietEnvironment, ROOT, requireNode, runStep, turbo } from "./prepare.mjs";

requireNode();
await installWhenChanged();
const [command, args] = turbo(["build", "--output-logs=errors-only"]);
await runStep("Building what changed", command, args, "The lines above say what does not build.");

// In a group of its own and with an IPC channel: it is told to stop once, by whichever way the signal came, and also when
// this process dies without a word.
const child = spawn(
  process.execPath,
  ["--enable-source-maps", "apps/cli/dist/main.js", "up", ...process.argv.slice(2)],
  {
    cwd: ROOT,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: quietEnvironment,
    detached: true,
  },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("close", (code) => process.exit(code ?? 1));
