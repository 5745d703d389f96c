/** A picture of a page on this disk, by an installed Chromium. It is given a profile of its own and no network to use. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const PATIENCE_MS = 30_000;

/** Null where none is installed. */
export function findChromium(environment: NodeJS.ProcessEnv): string | null {
  const { CHROMIUM_PATH, PATH = "" } = environment;
  if (CHROMIUM_PATH !== undefined) return existsSync(CHROMIUM_PATH) ? CHROMIUM_PATH : null;
  const candidates = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return [...candidates, ...PLACES].find((path) => existsSync(path)) ?? null;
}

/** Whether the picture is there. */
export function takePicture(
  chromium: string,
  { page, picture, width, height }: { page: string; picture: string; width: number; height: number },
): boolean {
  const profile = mkdtempSync(join(tmpdir(), "centspan-picture-"));
  try {
    spawnSync(
      chromium,
      [
        "--headless=new",
        // A page of our own, without scripts; root has no other way to start it.
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        "--disable-gpu",
        "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        `--user-data-dir=${profile}`,
        `--window-size=${width},${height}`,
        `--screenshot=${resolve(picture)}`,
        pathToFileURL(resolve(page)).href,
      ],
      { timeout: PATIENCE_MS, stdio: "ignore" },
    );
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
  return existsSync(picture);
}
