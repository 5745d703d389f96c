/** The clients' packages are large (700 MB): installed once, from their own lock file, when their tests run. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../stack/processes.ts";

const FOLDER = join(ROOT, "test/real-clients");
// The SDK of OpenAI asks for Node 22 and runs on 20 all the same.
const MARK = join(FOLDER, "node_modules/.installed");

export async function installClients(): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(join(FOLDER, "package-lock.json")))
    .digest("hex");
  if (readMark() === lock) return;
  console.log("real clients: installing their packages, 700 MB, once");
  const args = [
    "ci",
    "--workspaces=false",
    "--ignore-scripts",
    "--engine-strict=false",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
  ];
  const npm = spawn("npm", args, { cwd: FOLDER, stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((resolve) => npm.once("close", resolve));
  if (code !== 0) throw new Error(`real clients: npm ci ended with ${code}`);
  writeFileSync(MARK, lock);
}

function readMark(): string | null {
  try {
    return readFileSync(MARK, "utf8");
  } catch {
    return null;
  }
}
