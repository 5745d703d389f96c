/**
 * Files of histories through the readers, one after the other. What is unchanged since the last time is not opened; what
 * grew is read from where it ended; what was written anew is read from its beginning, and counts only what is new.
 */
import {
  createHistoryImport,
  type FileProgress,
  type HistoryBatch,
  type HistoryImportOptions,
  type HistoryReceipt,
  isSameLine,
} from "@centspan/histories";
import { type FoundFile, nameReason } from "./find-histories.ts";
import { readPieces, readSlice } from "./read-file.ts";

/** Plain JSON, for whoever keeps it until the next time. A file that was left in its middle has `bytes` of -1: it has changed. */
export type ImportState = {
  version: 1;
  ledger: string;
  files: Record<string, FileState>;
};

type FileState = {
  place: string;
  path: string;
  bytes: number;
  modifiedMs: number;
  isClosed: boolean;
  progress: FileProgress;
};

const LEFT = -1;

export type ImportHistoriesOptions = {
  state: ImportState | null;
  placeOf?(cwd: string): { repositoryUrl: string; repository: string } | null;
  attributes?: HistoryImportOptions["attributes"];
  keepsContent?: boolean;
  /** Whether nobody writes the file any more, so that what was held back may go. */
  isIdle(file: FoundFile): boolean;
  /** The next piece is read when it resolves. */
  onBatch(batch: HistoryBatch, file: FoundFile): Promise<void>;
  /** After each file; `takeState` gives all that is needed to go on after it. It costs with the number of calls. */
  onFileDone?(file: FoundFile, takeState: () => ImportState): Promise<void>;
  onProgress?(bytes: number): void;
  /** Ends the reading after the piece under way, in the middle of a file, too. */
  signal?: AbortSignal;
};

export type ImportResult = {
  receipt: HistoryReceipt;
  state: ImportState;
  unchanged: number;
  unreadable: { path: string; reason: string }[];
};

export async function importHistories(
  files: readonly FoundFile[],
  options: ImportHistoriesOptions,
): Promise<ImportResult> {
  const known = options.state?.files ?? {};
  const states: Record<string, FileState> = { ...known };
  const { placeOf, attributes, keepsContent = false } = options;
  const histories = createHistoryImport({
    ledger: options.state?.ledger ?? null,
    keepsContent,
    ...(placeOf && { placeOf }),
    ...(attributes && { attributes }),
  });
  const unreadable: ImportResult["unreadable"] = [];
  const takeState = (): ImportState => ({ version: 1, ledger: histories.save(), files: { ...states } });
  const isEnded = (): boolean => options.signal?.aborted === true;
  let unchanged = 0;
  for (const file of files) {
    if (isEnded()) break;
    const name = `${file.format.id} ${file.kind.identity}`;
    const before = known[name];
    if (before !== undefined && isUnchanged(before, file, options)) {
      unchanged += 1;
      options.onProgress?.(file.bytes);
      continue;
    }
    try {
      states[name] = await importFile(file, before, histories, options);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      unreadable.push({ path: `${file.place}/${file.path}`, reason: reasonOf(error) });
    }
    if (!isEnded()) await options.onFileDone?.(file, takeState);
  }
  return { receipt: histories.receipt(), state: takeState(), unchanged, unreadable };
}

function isUnchanged(before: FileState, file: FoundFile, { isIdle }: ImportHistoriesOptions): boolean {
  const { place, path, bytes, modifiedMs, isClosed } = before;
  const isSame = place === file.place && path === file.path && bytes === file.bytes && modifiedMs === file.modifiedMs;
  return isSame && (isClosed || !isIdle(file));
}

async function importFile(
  file: FoundFile,
  before: FileState | undefined,
  histories: ReturnType<typeof createHistoryImport>,
  { isIdle, onBatch, onProgress, signal }: ImportHistoriesOptions,
): Promise<FileState> {
  const progress = before !== undefined && (await isContinued(file, before.progress)) ? before.progress : null;
  const companion = file.kind.companion === undefined ? null : await readCompanion(file, file.kind.companion);
  const reading = histories.openFile({ format: file.format, path: file.path, companion, progress });
  const at = { place: file.place, path: file.path, modifiedMs: file.modifiedMs };
  if (progress !== null) onProgress?.(progress.bytes);
  for await (const piece of readPieces(file, progress?.bytes ?? 0)) {
    await onBatch(reading.take(piece), file);
    onProgress?.(piece.length);
    if (signal?.aborted === true) return { ...at, bytes: LEFT, isClosed: false, progress: reading.save() };
  }
  const isClosed = isIdle(file);
  await onBatch(reading.end(isClosed), file);
  return { ...at, bytes: file.bytes, isClosed, progress: reading.save() };
}

const isContinued = async (file: FoundFile, progress: FileProgress): Promise<boolean> =>
  isSameLine(progress, await readSlice(file, progress.bytes - progress.lastLineBytes, progress.lastLineBytes));

/** It tells of an agent what its lines don't; an agent without one is an agent all the same. */
async function readCompanion(file: FoundFile, path: string): Promise<string | null> {
  try {
    return Buffer.from(
      await readSlice({ ...file, path, kind: { ...file.kind, compression: "none" } }, 0, 65_536),
    ).toString();
  } catch {
    return null;
  }
}

/** Of a decompressor the code is a number, which says less than its words. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "number" ? error.message : nameReason(error);

/** What the disk refuses, or what can't be decompressed; anything else is not about one file. */
const isOfFile = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (typeof error.code === "number" || /^E[A-Z]+$/.test(String(error.code)));
