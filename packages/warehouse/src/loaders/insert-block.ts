/**
 * Brings a block of columns into its table, as one part. Rows are idempotent, so a block may be repeated at any time,
 * whatever became of the first try; its columns are named, and the server computes the others from them.
 * The bytes go as the body of a request, or, to a store on this machine, by way of a file that both can reach: then only
 * its path crosses, which saves a fifth of what an insert costs.
 */
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { assert, CentspanError, createId } from "@centspan/base";
import type { Block, BlockStore, SignalTable } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { renderColumn } from "../render-schema.ts";
import { BROUGHT_COLUMNS } from "../schema.ts";

/**
 * One insert is one part, written by one thread when all of it is there. What merges do anyway is left to them: removing
 * duplicates within the block, and skip indexes, which would cost a fifth of the insert.
 */
const SETTINGS = {
  async_insert: "0",
  wait_end_of_query: "1",
  optimize_on_insert: "0",
  materialize_skip_indexes_on_insert: "0",
  max_threads: "1",
  max_insert_threads: "1",
  max_insert_block_size: "4000000",
  min_insert_block_size_rows: "4000000",
  min_insert_block_size_bytes: "2000000000",
  // A column that this table does not have is another table's block, or a newer version's: dropping it would lose data.
  input_format_skip_unknown_fields: "0",
};

/** `folder` is one that the store reads too, and nobody else's. */
export function createBlockStore(connection: Connection, folder: string | undefined): BlockStore {
  if (folder === undefined) {
    return { insertBlock: (table, block, token) => insertBlock(connection, table, block, token) };
  }
  let ready: Promise<void> | undefined;
  return {
    async insertBlock(table, block, token) {
      ready ??= emptyFolder(folder);
      await ready.catch((cause) => {
        ready = undefined;
        throw createUnwritable(folder, cause);
      });
      await insertByPath(connection, join(folder, `${createId(FILE_PREFIX)}.native`), table, block, token);
    },
  };
}

const FILE_PREFIX = "block";

/** A process that was killed left its files. */
async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const left = (await readdir(folder)).filter((name) => name.startsWith(`${FILE_PREFIX}_`) && name.endsWith(".native"));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

export async function insertBlock(
  connection: Connection,
  table: SignalTable,
  block: Block,
  token: string,
): Promise<void> {
  const rows = Readable.from(copyPieces(block), { objectMode: false });
  await connection.runInsert(`${startInsert(table, token)} FORMAT Native`, { rows, settings: SETTINGS });
}

/** A stream reads ahead, and a piece is valid until the next. */
async function* copyPieces(block: Block): AsyncGenerator<Buffer> {
  for await (const piece of block.read()) yield Buffer.from(piece);
}

async function insertByPath(
  connection: Connection,
  path: string,
  table: SignalTable,
  block: Block,
  token: string,
): Promise<void> {
  const structure = BROUGHT_COLUMNS[table].map(renderColumn).join(", ");
  try {
    await writeBlock(path, block);
    await connection.runInsert(
      `${startInsert(table, token)} SELECT ${namesOf(table)} FROM file({path:String}, 'Native', {structure:String})`,
      { params: { path, structure }, settings: SETTINGS },
    );
  } finally {
    // A statement that was given up and still runs has the file open, and reads it to its end.
    await rm(path, { force: true });
  }
}

async function writeBlock(path: string, block: Block): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      for await (const piece of block.read()) await file.writeFile(piece);
    } finally {
      await file.close();
    }
  } catch (cause) {
    // A disk that is full, most likely: the block is as good as before.
    throw createUnwritable(path, cause);
  }
}

const createUnwritable = (path: string, cause: unknown): CentspanError =>
  new CentspanError("store_unavailable", `A block can't be written to ${path}.`, { retryAfterS: 2, cause });

function startInsert(table: SignalTable, token: string): string {
  // It becomes part of the statement's text: as a setting of the request it would need a session of its own.
  assert(/^[\w.:-]{1,200}$/.test(token), "a block's token is a plain name");
  return `INSERT INTO ${table} (${namesOf(table)}) SETTINGS insert_deduplication_token = '${token}'`;
}

const namesOf = (table: SignalTable): string => BROUGHT_COLUMNS[table].map(({ name }) => name).join(", ");
