/**
 * Finds histories on the disk: walks the places that formats declare, and keeps of several copies of one file the one that
 * the format prefers. Links are followed for a place, never within it. Opens no file.
 */
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { HistoryFileKind, HistoryFormat } from "@centspan/model";

export type FoundFile = {
  format: HistoryFormat;
  /** The place's folder, and the file below it with forward slashes. */
  place: string;
  path: string;
  kind: HistoryFileKind;
  bytes: number;
  modifiedMs: number;
  /** As far as the disk knows; where it was copied here, when it was last written. */
  begunMs: number;
};

export type FoundHistories = {
  /** In the order in which they are to be read. */
  files: FoundFile[];
  /** Places that are there, whether or not they hold anything. */
  places: { format: HistoryFormat; folder: string; files: number; bytes: number }[];
  /** Copies of files that are read elsewhere. */
  copies: number;
  /** Folders and files that could not be looked at, and why. */
  unreadable: { path: string; reason: string }[];
};

/** Where this person's things are. */
export type Surroundings = { home: string; environment: Readonly<Record<string, string | undefined>> };

export async function findHistories(
  formats: readonly HistoryFormat[],
  surroundings: Surroundings,
): Promise<FoundHistories> {
  const found: FoundHistories = { files: [], places: [], copies: 0, unreadable: [] };
  for (const format of [...formats].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const files: FoundFile[] = [];
    for (const folder of await listFolders(format, surroundings)) {
      const here = await walk(format, folder, found);
      found.places.push({ format, folder, files: here.length, bytes: sumBytes(here) });
      files.push(...here);
    }
    const kept = keepPreferred(files);
    found.copies += files.length - kept.length;
    found.files.push(...kept.sort(compareOrder));
  }
  return found;
}

export const sumBytes = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Those that there are, each once, however many names lead to it. */
async function listFolders(format: HistoryFormat, { home, environment }: Surroundings): Promise<string[]> {
  const named = format.places.flatMap((place) => {
    if (place.variable === undefined) return [join(home, place.folder)];
    const value = environment[place.variable] ?? "";
    const roots = place.separator === undefined ? [value] : value.split(place.separator);
    return roots.flatMap((root) => (root.trim() === "" ? [] : [join(root.trim(), place.folder)]));
  });
  const folders = new Set<string>();
  for (const folder of named) {
    try {
      const real = await realpath(folder);
      if ((await stat(real)).isDirectory()) folders.add(real);
    } catch {
      // A place that is not there holds nothing.
    }
  }
  return [...folders];
}

async function walk(format: HistoryFormat, root: string, found: FoundHistories): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await list(join(root, folder), found)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      const kind = entry.isFile() ? format.describeFile(path) : null;
      if (kind === null) continue;
      try {
        const { size, mtimeMs, birthtimeMs } = await stat(join(root, path));
        const begunMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
        files.push({ format, place: root, path, kind, bytes: size, modifiedMs: mtimeMs, begunMs });
      } catch (error) {
        found.unreadable.push({ path: join(root, path), reason: nameReason(error) });
      }
    }
  }
  return files;
}

async function list(folder: string, found: FoundHistories): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    found.unreadable.push({ path: folder, reason: nameReason(error) });
    return [];
  }
}

export const nameReason = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** Of copies the one of the lowest rank; of these the longest, which knows most. */
function keepPreferred(files: readonly FoundFile[]): FoundFile[] {
  const kept = new Map<string, FoundFile>();
  for (const file of files) {
    const other = kept.get(file.kind.identity);
    if (other === undefined || comparePreference(file, other) < 0) kept.set(file.kind.identity, file);
  }
  return [...kept.values()];
}

const comparePreference = (a: FoundFile, b: FoundFile): number =>
  a.kind.rank - b.kind.rank || b.bytes - a.bytes || (a.path < b.path ? -1 : 1);

/** What was copied from another file was begun after it. */
const compareOrder = (a: FoundFile, b: FoundFile): number =>
  a.kind.order === b.kind.order
    ? a.begunMs - b.begunMs || (a.path < b.path ? -1 : 1)
    : a.kind.order < b.kind.order
      ? -1
      : 1;
