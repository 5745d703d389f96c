/** A log whose file can't grow, as on a full disk: a limit of the process stands for it. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { readEventLog } from "./event-log.ts";

const LIMIT_BYTES = 4096;

const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
if (!canLimit) console.warn("event log on a full disk: left out, since this platform has no prlimit");

it.skipIf(!canLimit)("keeps no part of an event that did not fit, and goes on with what does", async () => {
  const folder = await createTemporaryFolder();
  const file = join(folder, "events.jsonl");
  const script = join(folder, "fill.mts");
  writeFileSync(
    script,
    `import { openEventLog } from ${JSON.stringify(join(import.meta.dirname, "event-log.ts"))};
     const log = openEventLog(${JSON.stringify(file)});
     const long = { type: "stopped", reason: "x".repeat(900), detail: "" } as const;
     let failures = 0;
     while (failures === 0) try { log.append(long); } catch { failures += 1; }
     log.append({ type: "judged", status: "passed" });
     console.log(log.events.length);`,
  );
  const args = [`--fsize=${LIMIT_BYTES}`, process.execPath, "--import", "tsx", script];
  const counted = Number(execFileSync("prlimit", args, { encoding: "utf8" }));
  const events = readEventLog(file);
  expect(events.map(({ type }) => type)).toEqual([...Array(counted - 1).fill("stopped"), "judged"]);
  expect(counted).toBeGreaterThan(3);
  expect(readFileSync(file).length).toBeLessThanOrEqual(LIMIT_BYTES);
});
