/**
 * A block under construction: OTLP bodies of one signal in, one block of its table out. What a body brings is in the
 * block when `add` returns, or none of it is.
 */
import { assert } from "@centspan/base";
import { type Block, SIGNALS, type Signal, type SignalTable, TABLE_OF_SIGNAL } from "@centspan/model";
import { type Admission, BadBody, createTally } from "./admission.ts";
import { BLOCK_COLUMNS } from "./columns.ts";
import { createLogReader } from "./logs-block.ts";
import { createMetricReader } from "./metrics-block.ts";
import { ByteSink } from "./native/byte-sink.ts";
import type { Column } from "./native/column.ts";
import { BlockFull, RowWriter } from "./row-writer.ts";
import type { SignalReader } from "./signal-reader.ts";
import { createSpanReader } from "./spans-block.ts";
import { walkExport } from "./walk-export.ts";
import { WireReader } from "./wire/wire-reader.ts";

export type BlockBuilder = {
  readonly rows: number;
  /** Of the bodies that are in the block. */
  readonly bytes: number;
  /**
   * Throws BadBody for a body whose frame is broken, or that is too much for any block; BlockFull for one that may fit
   * into the next block. Such a body leaves the block as it was.
   */
  add(workspace: string, body: Uint8Array): Admission;
  /** The block, and starts the next one. Its bytes are those of this builder, and valid until `take` is called again. */
  take(): Block;
};

const READERS: Record<Signal, () => SignalReader> = {
  traces: createSpanReader,
  logs: createLogReader,
  metrics: createMetricReader,
};

export function createBlockBuilder(table: SignalTable): BlockBuilder {
  const signal = SIGNALS.find((candidate) => TABLE_OF_SIGNAL[candidate] === table);
  assert(signal, `a signal whose table is ${table}`);
  const { columns, open } = READERS[signal]();
  const rows = new RowWriter(Object.values(columns), createTally());
  const records = open(rows);
  const ordered = orderColumns(table, { ...columns, ...sharedColumns(rows) });
  const out = new ByteSink();
  let bytes = 0;

  return {
    get rows() {
      return rows.rows;
    },
    get bytes() {
      return bytes;
    },
    add(workspace, body) {
      const before = rows.rows;
      const { weight } = rows;
      const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      rows.tally = createTally();
      rows.workspaceIndex = rows.workspace.dictionary.internText(workspace);
      records.startBody(buffer);
      try {
        rows.weigh(body.length);
        walkExport(new WireReader(buffer), signal, rows, records.readRecord);
      } catch (thrown) {
        rows.truncate(before);
        rows.weight = weight;
        throw thrown instanceof BlockFull && before === 0 ? new BadBody("body", TOO_MUCH) : thrown;
      } finally {
        // Nobody takes a block without rows: what refused records left in the dictionaries would stay.
        if (rows.rows === 0) rows.clear();
      }
      bytes += body.length;
      return rows.tally.admit(rows.rows - before);
    },
    take() {
      const block = writeBlock(ordered, rows.rows, out);
      rows.clear();
      bytes = 0;
      return block;
    },
  };
}

const TOO_MUCH = "holds too many records, or too much that each of them repeats: send smaller batches";

type NamedColumn = { name: string; type: string; column: Column };

const sharedColumns = (rows: RowWriter): Record<string, Column> => ({
  workspace: rows.workspace,
  service: rows.service,
  scope_name: rows.scopeName,
  scope_version: rows.scopeVersion,
  resource_attributes: rows.resourceAttributes,
});

function orderColumns(table: SignalTable, columns: Readonly<Record<string, Column>>): NamedColumn[] {
  return BLOCK_COLUMNS[table].map(({ name, type }) => {
    const column = columns[name];
    assert(column, `a reader that fills ${table}.${name}`);
    return { name, type, column };
  });
}

function writeBlock(columns: readonly NamedColumn[], rows: number, out: ByteSink): Block {
  out.clear();
  out.writeVarint(columns.length);
  out.writeVarint(rows);
  for (const { name, type, column } of columns) {
    assert(column.rows === rows, `${rows} rows in ${name}, not ${column.rows}`);
    out.writeText(name);
    out.writeText(type);
    column.writePrefix(out);
    column.writeData(out);
  }
  const bytes = out.bytes.subarray(0, out.length);
  return {
    rows,
    bytes: bytes.length,
    async *read() {
      yield bytes;
    },
  };
}
