/**
 * An import of histories: bytes of files to lines, lines through their format's reader, what it says through the ledger, and
 * what counts to spans. Holds one line, what its readers hold back, and the ledger; nothing grows with the size of a file.
 */

import { deriveId } from "@centspan/base";
import type { HistoryEvent, LineProblem, Outcome, RemovalReason } from "@centspan/model";
import { totalOf } from "../usage-total.ts";
import { hashOf } from "./content.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLineSplitter } from "./split-lines.ts";
import { createTracer, type Traced, type Tracer } from "./trace-events.ts";
import type {
  CreateHistoryImport,
  FileImport,
  FileProgress,
  HistoryBatch,
  HistoryImport,
  HistoryImportOptions,
  HistoryPlaceFacts,
  HistoryReceipt,
} from "./types.ts";

const MOST_PROBLEMS = 100;

type OpenFile = Parameters<HistoryImport["openFile"]>[0];

export const createHistoryImport: CreateHistoryImport = (options) => {
  const ledger = createLedger(options.ledger);
  const receipt = createReceipt();
  const placeOf = rememberPlaces(options);
  const { attributes = {}, keepsContent = false } = options;
  return {
    openFile: (file) => openFile(file, { ledger, receipt, placeOf, attributes, keepsContent }),
    receipt: () => receipt,
    save: () => ledger.save(),
  };
};

const createReceipt = (): HistoryReceipt => ({
  files: 0,
  bytes: 0,
  lines: 0,
  calls: 0,
  turns: 0,
  toolRuns: 0,
  tokens: 0,
  removed: {},
  problems: [],
  problemLines: 0,
  unfinishedLines: 0,
});

function rememberPlaces({ placeOf }: HistoryImportOptions): (cwd: string) => HistoryPlaceFacts | null {
  const known = new Map<string, HistoryPlaceFacts | null>();
  return (cwd) => {
    if (cwd === "" || placeOf === undefined) return null;
    const place = known.has(cwd) ? (known.get(cwd) ?? null) : placeOf(cwd);
    known.set(cwd, place);
    return place;
  };
}

type Desk = {
  ledger: Ledger;
  receipt: HistoryReceipt;
  placeOf(cwd: string): HistoryPlaceFacts | null;
  attributes: NonNullable<HistoryImportOptions["attributes"]>;
  keepsContent: boolean;
};

function openFile({ format, path, companion, progress }: OpenFile, desk: Desk): FileImport {
  const { ledger, receipt, keepsContent } = desk;
  const identity = format.describeFile(path)?.identity ?? path;
  const memory = ledger.memoryOf(format.id);
  const reader = format.openReader({ path, companion, saved: progress?.reader, memory, keepsContent });
  const tracer = createTracer({ ...desk, format: format.id, agent: format.agent }, progress?.tracer);
  const at = {
    bytes: progress?.bytes ?? 0,
    lines: progress?.lines ?? 0,
    last: "",
    lastBytes: progress?.lastLineBytes ?? 0,
  };
  const splitter = createLineSplitter();
  /** The last of each. */
  const threads = new Map<string, HistoryEvent>();
  receipt.files += 1;

  const settle = (said: readonly HistoryEvent[] | LineProblem, batch: HistoryBatch): void => {
    if ("problem" in said) {
      receipt.problemLines += 1;
      if (receipt.problems.length < MOST_PROBLEMS) receipt.problems.push({ ...said, file: path });
      return;
    }
    for (const event of said) {
      threads.set(event.thread.threadId, event);
      settleEvent(event, { format: format.id, file: identity, tracer, ledger, receipt, batch });
    }
  };
  const takeLine = (line: string | null, bytes: number, batch: HistoryBatch): void => {
    at.bytes += bytes;
    at.lines += 1;
    receipt.lines += 1;
    at.last = line ?? "";
    at.lastBytes = bytes;
    if (line === null) settle({ line: at.lines, problem: "too_long", field: "" }, batch);
    else if (line.trim() !== "") settle(reader.readLine(line, at.lines), batch);
  };
  return {
    take(chunk) {
      const batch: HistoryBatch = { spans: [], outcomes: [], events: [] };
      receipt.bytes += chunk.length;
      splitter.take(chunk, (line, bytes) => takeLine(line, bytes, batch));
      return batch;
    },
    end(isIdle) {
      const batch: HistoryBatch = { spans: [], outcomes: [], events: [] };
      const { text, bytes } = splitter.rest();
      if (bytes > 0 && !isIdle) receipt.unfinishedLines += 1;
      if (bytes > 0 && isIdle) {
        // What was broken off may be written on after all: then it is read as a whole.
        if (isWhole(text)) takeLine(text, bytes, batch);
        else settle({ line: at.lines + 1, problem: "broken_json", field: "" }, batch);
      }
      if (isIdle) settle(reader.close(), batch);
      if (isIdle) for (const event of threads.values()) batch.spans.push(...tracer.closeTurns(event));
      return batch;
    },
    save: () => ({
      bytes: at.bytes,
      lines: at.lines,
      lastLine: at.last === "" ? (progress?.lastLine ?? "") : hashLine(at.last),
      lastLineBytes: at.lastBytes,
      reader: reader.save(),
      tracer: tracer.save(),
    }),
  };
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

const hashLine = (line: string): string => hashOf("", line);

/** Whether the bytes where the last line of an earlier import ended are still that line: else the file was written anew. */
export const isSameLine = ({ lastLine, lastLineBytes }: FileProgress, bytes: Uint8Array): boolean =>
  lastLineBytes === 0 || (bytes.length === lastLineBytes && hashLine(textOf(bytes)) === lastLine);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8").replace(/\n$/, "");

type Settling = {
  format: string;
  file: string;
  tracer: Tracer;
  ledger: Ledger;
  receipt: HistoryReceipt;
  batch: HistoryBatch;
};

function settleEvent(event: HistoryEvent, settling: Settling): void {
  const traced = traceEvent(event, settling);
  if (traced === null) return;
  const { format, file, batch } = settling;
  const { spans, traceId, spanId } = traced;
  batch.spans.push(...spans);
  batch.events.push({ ...event, format, file, traceId, spanId });
}

const WITHOUT_SPAN: Traced = { spans: [], traceId: "", spanId: "" };

/** Null for what does not count, and for what only matters to what follows. */
function traceEvent(event: HistoryEvent, settling: Settling): Traced | null {
  const { format, tracer, ledger, receipt, batch } = settling;
  switch (event.kind) {
    case "call":
      return settleCall(event, settling);
    case "tool":
      return settleTool(event, settling);
    case "turn": {
      batch.spans.push(...tracer.closeTurns(event));
      const begun = tracer.beginRun(event, event);
      const { sessionId, rootSessionId } = event.thread;
      const teller = ledger.get(`message of ${format}`, event.key);
      if (teller !== undefined) {
        // A fork that does not say so: it belongs to what the conversation began as.
        if (teller !== rootSessionId) ledger.set(`root of ${format}`, sessionId, teller);
        return remove(receipt, "copied_message", 0);
      }
      ledger.set(`message of ${format}`, event.key, ledger.get(`root of ${format}`, sessionId) ?? rootSessionId);
      receipt.turns += 1;
      return begun;
    }
    case "compaction":
      if (!ledger.countOnce(`compaction of ${format}`, event.key)) return remove(receipt, "copied_history", 0);
      return tracer.traceCompaction(event, event.key, event.atNs, event.beforeTokens);
    case "removed":
      return remove(receipt, event.reason, event.tokens);
    case "mark":
      tracer.addMark(event, event.mark);
      return WITHOUT_SPAN;
    case "agent":
      tracer.noteAgent(event, event.agentId, event.toolCallId);
      return WITHOUT_SPAN;
    case "limit":
    case "pullRequest":
      return WITHOUT_SPAN;
  }
}

function settleCall(event: HistoryEvent & { kind: "call" }, settling: Settling): Traced | null {
  const { format, file, tracer, ledger, receipt } = settling;
  const verdict = ledger.countCall(format, file, event);
  if (!verdict.counts) {
    if (verdict.reason === "copied_history") tracer.noteCopy(event, event);
    return remove(receipt, verdict.reason, totalOf(event.usage));
  }
  receipt.tokens += verdict.addedTokens;
  if (verdict.isFirst) receipt.calls += 1;
  else remove(receipt, "growing_line", totalOf(event.usage) - verdict.addedTokens);
  return tracer.traceCall(event, event, verdict);
}

function settleTool(event: HistoryEvent & { kind: "tool" }, settling: Settling): Traced | null {
  const { format, tracer, ledger, receipt, batch } = settling;
  if (!ledger.countOnce(`tool of ${format}`, event.toolCallId)) return remove(receipt, "copied_history", 0);
  receipt.toolRuns += 1;
  const traced = tracer.traceTool(event, event);
  batch.outcomes.push(...toOutcomes(event, format, traced.traceId));
  return traced;
}

function remove({ removed }: HistoryReceipt, reason: RemovalReason, tokens: number): null {
  const { records, tokens: before } = removed[reason] ?? { records: 0, tokens: 0 };
  removed[reason] = { records: records + 1, tokens: before + tokens };
  return null;
}

/** What a test run says of the session: derived from its output, so that it says how it is known. */
function toOutcomes(event: HistoryEvent & { kind: "tool" }, format: string, traceId: string): Outcome[] {
  const { tests, thread } = event;
  if (tests === null || tests.status === "unknown") return [];
  const counts = { passed: tests.passed, failed: tests.failed, skipped: tests.skipped, exitCode: event.exitCode };
  const known = Object.entries(counts).flatMap(([name, count]) => (count === null ? [] : [[name, count] as const]));
  return [
    {
      outcomeId: deriveId("outcome", format, event.toolCallId),
      // Of the session: its last test run decides, whichever message it came after.
      subject: { sessionId: thread.sessionId },
      kind: "tests",
      status: tests.status,
      weight: 1,
      source: "local-history",
      evidence: { method: "derived", traceId, runner: tests.runner, ...Object.fromEntries(known) },
      atNs: event.endedAtNs,
    },
  ];
}
