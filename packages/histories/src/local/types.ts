/**
 * How histories on a disk are imported, as the one who opens the files sees it: bytes of one file after the other go in,
 * spans with final content come out, and what must be remembered until the next time is small, plain JSON.
 */
import type { HistoryEvent, HistoryFormat, LineProblem, Outcome, RemovalReason, SpanRecord } from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";

/** An event that counts, with its place in the trace that was made of it; "" where it makes no span. */
export type CountedEvent = HistoryEvent & { format: string; file: string; traceId: string; spanId: string };

export type HistoryBatch = {
  /** Final: the same history gives the same spans, in this import, in the next, and on another machine. */
  spans: SpanRecord[];
  /** What test runs came to, each derived from the output of its command. */
  outcomes: Outcome[];
  events: CountedEvent[];
};

export type FileProblem = LineProblem & { file: string };

/** What happened so far; counts of this import alone, not of earlier ones. */
export type HistoryReceipt = {
  files: number;
  bytes: number;
  lines: number;
  calls: number;
  turns: number;
  toolRuns: number;
  tokens: number;
  /** What was not counted again, by reason, with the tokens that it would have added. */
  removed: Partial<Record<RemovalReason, { records: number; tokens: number }>>;
  /** Lines that could not be read; the first hundred of each kind by name. */
  problems: FileProblem[];
  problemLines: number;
  /** Last lines that were still being written: read the next time. */
  unfinishedLines: number;
};

/** Of one file, between two imports. */
export type FileProgress = {
  /** Read so far, uncompressed, up to the end of a line: where to go on. */
  bytes: number;
  lines: number;
  /** Hash of the last line read: another one at this place means that the file was written anew, and is read from 0. */
  lastLine: string;
  lastLineBytes: number;
  reader: unknown;
  tracer: unknown;
};

export type HistoryImportOptions = {
  /** Of an earlier `save()`; null for the first import. */
  ledger: string | null;
  /** What git says about a working folder; null where it is none or is not known. Asked once for each folder. */
  placeOf?(cwd: string): HistoryPlaceFacts | null;
  /** Folder as it may be told. Default: not at all. */
  tellPath?(cwd: string): string;
  /** Text of the conversations, too, on the spans that it is of. Default: not at all. */
  keepsContent?: boolean;
  /** On every span, such as whose machine it is. */
  attributes?: SpanAttributes;
};

export type HistoryPlaceFacts = { repositoryUrl: string; repository: string };

export type FileImport = {
  /** Bytes as they come, cut anywhere. */
  take(chunk: Uint8Array): HistoryBatch;
  /** `isIdle`: nobody writes this file any more, so what was held back is released. */
  end(isIdle: boolean): HistoryBatch;
  save(): FileProgress;
};

export type HistoryImport = {
  /** One file at a time, in the order of their kinds. `progress` is where an earlier import left it. */
  openFile(file: {
    format: HistoryFormat;
    path: string;
    companion: string | null;
    progress: FileProgress | null;
  }): FileImport;
  receipt(): HistoryReceipt;
  /** What was counted, for the next import: a string that only this room reads. */
  save(): string;
};

export type CreateHistoryImport = (options: HistoryImportOptions) => HistoryImport;
