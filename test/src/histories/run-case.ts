/** A case through all that a real import goes through up to the stores: files on a disk, found, read, to spans, to calls. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deriveCalls, mergeByResponse } from "@centspan/attribution";
import { findHistories, type ImportState, importHistories } from "@centspan/cli/local";
import type { CountedEvent, HistoryReceipt } from "@centspan/histories";
import { historyFormats } from "@centspan/histories";
import type { Call, Outcome, SpanRecord } from "@centspan/model";
import { frameZstd } from "./frame-zstd.ts";

export type Imported = {
  spans: SpanRecord[];
  outcomes: Outcome[];
  events: CountedEvent[];
  receipt: HistoryReceipt;
  state: ImportState;
  unreadable: { path: string; reason: string }[];
};

export type Disk = { home: string; write(files: Record<string, string | readonly string[]>): void; remove(): void };

export function createDisk(): Disk {
  const home = mkdtempSync(join(tmpdir(), "centspan-histories-"));
  // One after the other, further apart than a disk's clock ticks, and long ago.
  let writtenAtS = 1_700_000_000;
  return {
    home,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        const path = join(home, name);
        mkdirSync(dirname(path), { recursive: true });
        const text = typeof content === "string" ? content : content.map((line) => `${line}\n`).join("");
        writeFileSync(path, name.endsWith(".zst") ? frameZstd(Buffer.from(text)) : text);
        writtenAtS += 1;
        utimesSync(path, writtenAtS, writtenAtS);
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

type Way = { isIdle?: boolean; keepsContent?: boolean /** Ends after so many pieces of files. */; pieces?: number };

export async function importHome(
  home: string,
  state: ImportState | null = null,
  { isIdle = true, keepsContent = false, pieces = Number.POSITIVE_INFINITY }: Way = {},
): Promise<Imported> {
  const interrupted = new AbortController();
  let left = pieces;
  const { files } = await findHistories(historyFormats, { home, environment: {} });
  const found: Pick<Imported, "spans" | "outcomes" | "events"> = { spans: [], outcomes: [], events: [] };
  const result = await importHistories(files, {
    // What is kept between imports is text.
    state: state === null ? null : JSON.parse(JSON.stringify(state)),
    isIdle: () => isIdle,
    keepsContent,
    signal: interrupted.signal,
    async onBatch({ spans, outcomes, events }) {
      found.spans.push(...spans);
      found.outcomes.push(...outcomes);
      found.events.push(...events);
      left -= 1;
      if (left <= 0) interrupted.abort();
    },
  });
  return { ...found, ...result };
}

/** As the worker does: each trace by itself, and what several say of one response is one call. */
export function callsOf(spans: readonly SpanRecord[]): Call[] {
  const byTrace = new Map<string, SpanRecord[]>();
  for (const span of spans) byTrace.set(span.traceId, [...(byTrace.get(span.traceId) ?? []), span]);
  const claimed = [...byTrace.values()].flatMap((ofTrace) => deriveCalls({ spans: ofTrace }));
  return mergeByResponse(claimed).map(({ call }) => call);
}
