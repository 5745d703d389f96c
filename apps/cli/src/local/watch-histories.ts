/** Follows histories as they grow: looks every few seconds, and imports when a file has changed. */
import { setTimeout as sleep } from "node:timers/promises";
import { plural } from "./describe-import.ts";
import type { FoundFile, FoundHistories } from "./find-histories.ts";
import type { ImportReport } from "./run-import.ts";

const LOOK_EVERY_MS = 3_000;
/** What was held back of a file that nobody writes any more is due then. */
const RELEASE_EVERY_MS = 60_000;

export async function watchHistories(
  /** As they were when they were imported. */
  imported: FoundHistories,
  find: () => Promise<FoundHistories>,
  importOnce: (found: FoundHistories) => Promise<ImportReport>,
  signal: AbortSignal,
): Promise<void> {
  process.stderr.write("Following the files; Ctrl-C ends it.\n");
  let known = describe(imported.files);
  let releasedAt = performance.now();
  while (await pause(signal)) {
    const found = await find();
    const now = describe(found.files);
    if (now === known && performance.now() - releasedAt < RELEASE_EVERY_MS) continue;
    releasedAt = performance.now();
    known = now;
    const { receipt, sent } = await importOnce(found);
    if (sent.spans === 0) continue;
    const time = new Date().toTimeString().slice(0, 8);
    process.stderr.write(
      `${time}  ${plural(receipt.calls, "call")}, ${plural(receipt.toolRuns, "tool call")}, ${plural(receipt.tokens, "token")}\n`,
    );
  }
}

const describe = (files: readonly FoundFile[]): string =>
  files.map(({ path, bytes, modifiedMs }) => `${path} ${bytes} ${modifiedMs}`).join("\n");

/** False where it was told to end. */
const pause = (signal: AbortSignal): Promise<boolean> => sleep(LOOK_EVERY_MS, true, { signal }).catch(() => false);
