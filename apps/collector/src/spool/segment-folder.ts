/**
 * The files of a spool: `<generation>.segment` holds frames of that generation, `<generation>.spare` waits for another use.
 * A recycled file is several times cheaper to write than a fresh one, whose every new byte the file system must book.
 * Invariants: a generation is used once; a new name is durable before anything is written under it.
 */
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type FolderLock, lockFolder } from "./lock-folder.ts";

export type SegmentFolder = {
  /** Generations of the segments that were there at opening, in order. */
  readonly found: readonly number[];
  pathOf(generation: number): string;
  create(): Promise<{ generation: number; file: FileHandle }>;
  /** The segment is done with. `isWorthKeeping` false: its file is deleted. */
  retire(generation: number, isWorthKeeping: boolean): Promise<void>;
  /** Generations from here on are new. */
  skipTo(generation: number): void;
  /** A file of another name in the folder, made where there is none. */
  openBeside(name: string): Promise<FileHandle>;
  close(): Promise<void>;
};

const MAX_SPARES = 8;
const NAME = /^(\d{12})\.(segment|spare)$/;

export async function openSegmentFolder(folder: string): Promise<SegmentFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(folder, "r");
  const lock = await lockFolder(folder, handle).catch(async (thrown) => {
    await handle.close();
    throw thrown;
  });
  const files = await listFiles(folder);
  return createSegmentFolder(folder, handle, lock, files);
}

type Files = { segments: number[]; spares: number[] };

async function listFiles(folder: string): Promise<Files> {
  const files: Files = { segments: [], spares: [] };
  for (const name of (await readdir(folder)).sort()) {
    const [, generation, kind] = NAME.exec(name) ?? [];
    if (generation !== undefined) files[kind === "spare" ? "spares" : "segments"].push(Number(generation));
  }
  return files;
}

function createSegmentFolder(folder: string, handle: FileHandle, lock: FolderLock, files: Files): SegmentFolder {
  const { segments, spares } = files;
  let nextGeneration = Math.max(0, ...segments, ...spares) + 1;
  const nameOf = (generation: number, kind: string): string =>
    join(folder, `${String(generation).padStart(12, "0")}.${kind}`);
  const pathOf = (generation: number): string => nameOf(generation, "segment");
  return {
    found: segments,
    pathOf,
    async create() {
      const generation = nextGeneration++;
      const path = pathOf(generation);
      const spare = spares.shift();
      try {
        if (spare !== undefined) await rename(nameOf(spare, "spare"), path);
        const file = await open(path, spare === undefined ? "wx" : "r+", 0o600);
        await handle.sync().catch(async (thrown) => {
          await file.close();
          throw thrown;
        });
        return { generation, file };
      } catch (thrown) {
        await unlink(path).catch(() => undefined);
        throw thrown;
      }
    },
    async retire(generation, isWorthKeeping) {
      if (!isWorthKeeping || spares.length >= MAX_SPARES) return unlink(pathOf(generation));
      await rename(pathOf(generation), nameOf(generation, "spare"));
      spares.push(generation);
    },
    skipTo(generation) {
      nextGeneration = Math.max(nextGeneration, generation);
    },
    async openBeside(name) {
      const path = join(folder, name);
      return open(path, "r+").catch(() => open(path, "wx+", 0o600));
    },
    async close() {
      await lock.release();
      await handle.close();
    },
  };
}
