import { CentspanError } from "@centspan/base";
import { BadBody, transcodeJson } from "@centspan/ingest";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGroupCommit } from "./group-commit.ts";
import type { TableBlock } from "./spool/frame-writer.ts";

const OURS = { workspace: "w", isTrusted: false };

/** A disk that writes when told. */
function createDisk() {
  const writes: { rows: Record<string, number>; settle(error?: Error): void }[] = [];
  const append = (blocks: readonly TableBlock[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const rows = Object.fromEntries(blocks.map(({ table, block }) => [table, block.rows]));
      writes.push({ rows, settle: (error) => (error ? reject(error) : resolve()) });
    });
  return { writes, append };
}

/** Lets everything that is ready to run, run. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
};

const spansOf = (count: number): Uint8Array => {
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: "ab".repeat(16),
    spanId: `${10 + index}`.repeat(8),
  }));
  return transcodeJson("traces", Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))).body;
};
const LOGS = transcodeJson(
  "logs",
  Buffer.from('{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1"}]}]}]}'),
).body;

describe("createGroupCommit", () => {
  it("writes what came together at once, and what comes meanwhile next, all signals in one write", async () => {
    const disk = createDisk();
    const commits = createGroupCommit(disk.append);
    const first = [commits.add("traces", OURS, spansOf(2)), commits.add("traces", OURS, spansOf(1))];
    await settle();
    const second = [commits.add("traces", OURS, spansOf(1)), commits.add("logs", { ...OURS, workspace: "v" }, LOGS)];
    await settle();
    expect(disk.writes.map((write) => write.rows)).toEqual([{ spans: 3 }]);
    disk.writes[0]?.settle();
    await Promise.all(first.map(({ durable }) => durable));
    await settle();
    expect(disk.writes.map((write) => write.rows)).toEqual([{ spans: 3 }, { spans: 1, logs: 1 }]);
    disk.writes[1]?.settle();
    await Promise.all(second.map(({ durable }) => durable));
    await settle();
    expect(disk.writes).toHaveLength(2);
  });

  it("has nothing to write for a body without records, and nothing of a broken one", async () => {
    const disk = createDisk();
    const commits = createGroupCommit(disk.append);
    await commits.add("traces", OURS, new Uint8Array(0)).durable;
    expect(() => commits.add("traces", OURS, Buffer.from([0x0a, 0x05]))).toThrow(BadBody);
    await settle();
    expect(disk.writes).toEqual([]);
  });

  it("acknowledges exactly what is durable, however writes and arrivals interleave", async () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant("add" as const), rows: fc.nat(3) }),
      fc.record({ do: fc.constantFrom("succeed" as const, "fail" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const disk = createDisk();
        const commits = createGroupCommit(disk.append);
        const sent: { rows: number; result: string }[] = [];
        const written = { rows: 0, settled: 0 };
        const finishNext = async (isGood: boolean): Promise<void> => {
          await settle();
          const write = disk.writes[written.settled];
          if (!write) return;
          written.settled += 1;
          if (isGood) written.rows += write.rows.spans ?? 0;
          write.settle(isGood ? undefined : new CentspanError("store_unavailable", "full"));
          await settle();
        };
        for (const step of actions) {
          if (step.do !== "add") await finishNext(step.do === "succeed");
          else {
            const entry = { rows: step.rows, result: "pending" };
            sent.push(entry);
            commits.add("traces", OURS, spansOf(step.rows)).durable.then(
              () => (entry.result = "ok"),
              (error: CentspanError) => (entry.result = error.code),
            );
          }
        }
        while (sent.some((entry) => entry.result === "pending")) await finishNext(true);
        const acknowledged = sent
          .filter((entry) => entry.result === "ok")
          .reduce((rows, entry) => rows + entry.rows, 0);
        expect(acknowledged).toBe(written.rows);
        if (!actions.some((step) => step.do === "fail"))
          expect(sent.every((entry) => entry.result === "ok")).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
