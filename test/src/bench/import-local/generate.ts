/** A home with the histories of both agents, as large as one likes, of a seed: the same seed writes the same bytes. */
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { frameZstd } from "../../histories/frame-zstd.ts";
import { generateClaudeSession, type WriteFile } from "./generate-claude.ts";
import { generateCodexThread } from "./generate-codex.ts";
import { createInventor } from "./invent.ts";
import { createTally, type Tally } from "./tally.ts";

const FIRST_DAY_MS = Date.parse("2026-09-01T08:00:00Z");
const SESSION_EVERY_MS = 7 * 60_000;

export function generateHome(home: string, megabytes: number, seed: number): Tally {
  const inventor = createInventor(seed);
  const tally = createTally();
  const write: WriteFile = (path, lines) => {
    const name = join(home, path);
    mkdirSync(dirname(name), { recursive: true });
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const file = openSync(name, "w");
    writeSync(file, path.endsWith(".zst") ? frameZstd(bytes) : bytes);
    closeSync(file);
    // Long ago, so that nobody takes it for one that is still written.
    utimesSync(name, FIRST_DAY_MS / 1000, FIRST_DAY_MS / 1000);
    tally.bytes += bytes.length;
    tally.files += 1;
  };
  for (let n = 0; tally.bytes < megabytes * 1e6; n++) {
    const startMs = FIRST_DAY_MS + n * SESSION_EVERY_MS;
    if (inventor.chance(0.6)) generateClaudeSession(inventor, tally, startMs, write);
    else generateCodexThread(inventor, tally, startMs, write);
  }
  return tally;
}
