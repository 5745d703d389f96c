// What `npm start` and `npm test` share: checks Node, installs when the lock file changed, and says plainly what to do
// when something is missing. Uses nothing but Node, since it runs before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MIN_NODE = [20, 15];

export const quietEnvironment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
  NEXT_TELEMETRY_DISABLED: "1",
};

/** Ends the process with one plain line; for conditions that a person can mend. */
export function giveUp(message) {
  console.error(`\ncentspan: ${message}`);
  process.exit(1);
}

/** Runs a program in the repository; resolves with its exit code. Ctrl-C reaches it through the terminal. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", env: quietEnvironment, ...options });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal === null ? code : 130));
  });
}

/** Runs quietly, with a heartbeat; prints everything only when it fails. */
export async function runStep(title, command, args, remedy) {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  process.stdout.write(`  ${title} …\n`);
  const heartbeat = setInterval(() => process.stdout.write(`  ${title} … ${seconds()}\n`), 15_000);
  let said = "";
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: quietEnvironment });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearInterval(heartbeat));
  if (code !== 0) {
    process.stdout.write(said);
    giveUp(`${title} failed (exit code ${code}). ${remedy}`);
  }
  process.stdout.write(`  ${title}: done in ${seconds()}\n`);
}

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  giveUp(`Node ${process.versions.node} is too old: install Node ${MIN_NODE.join(".")} or newer, then repeat.`);
}

/** Installs exactly what the lock file says, when it or the Node major version changed since the last time. */
export async function installWhenChanged() {
  const stampFile = join(ROOT, "node_modules/.centspan-installed");
  const lock = readFileSync(join(ROOT, "package-lock.json"));
  const stamp = createHash("sha256").update(lock).digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  await runStep(
    "Installing packages",
    "npm",
    ["ci", "--no-audit", "--no-fund"],
    "Check the network or the registry that npm is set to, then repeat.",
  );
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

export const turbo = (args) => ["node_modules/.bin/turbo", ["run", ...args]];
