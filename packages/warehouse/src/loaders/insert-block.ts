/**
 * Streams a block of columns into its table, as one part. Rows are idempotent, so a block may be repeated at any time,
 * whatever became of the first try; its columns are named, and the server computes the others from them.
 */
import { Readable } from "node:stream";
import { assert } from "@centspan/base";
import { BLOCK_COLUMNS } from "@centspan/ingest";
import type { Block, SignalTable } from "@centspan/model";
import type { Connection } from "../connection.ts";

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

export async function insertBlock(
  connection: Connection,
  table: SignalTable,
  block: Block,
  token: string,
): Promise<void> {
  // It becomes part of the statement's text: as a setting of the request it would need a session of its own.
  assert(/^[\w.:-]{1,200}$/.test(token), "a block's token is a plain name");
  const columns = BLOCK_COLUMNS[table].map(({ name }) => name).join(", ");
  await connection.insertStream(
    `INSERT INTO ${table} (${columns}) SETTINGS insert_deduplication_token = '${token}' FORMAT Native`,
    Readable.from(block.read(), { objectMode: false }),
    SETTINGS,
  );
}
