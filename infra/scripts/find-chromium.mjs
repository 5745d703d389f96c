// Finds a Chromium for the browser tests, or installs Debian's where that is possible; says plainly what to do otherwise.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { giveUp, runStep } from "./prepare.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

function findInstalled() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined)
    return existsSync(named) ? named : giveUp(`CHROMIUM_PATH names ${named}, which is not there.`);
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, ...PLACES].find((path) => existsSync(path));
}

export async function findChromium() {
  const found = findInstalled();
  if (found !== undefined) return found;
  const canInstall = process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
  if (!canInstall) {
    giveUp("No Chromium for the browser tests: install one (Debian: `apt-get install chromium`) or set CHROMIUM_PATH.");
  }
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
  const packages = ["chromium", "fonts-dejavu-core"];
  await runStep(
    "Installing Debian's Chromium",
    "env",
    ["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages],
    "Install a Chromium by hand and set CHROMIUM_PATH.",
  );
  return findInstalled() ?? giveUp("Debian's Chromium was installed but is not on PATH: set CHROMIUM_PATH.");
}
