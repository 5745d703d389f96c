/**
 * A block under construction: OTLP bodies of one signal in, one block of its table out. What a body brings is in the
 * block when `add` returns, or none of it is.
 */
import { crc32 } from "node:zlib";
import { assert } from "@centspan/base";
import { SIGNALS, type SignalTable, TABLE_OF_SIGNAL, type WholeBlock } from "@centspan/model";
import { type Admission, BadBody, BlockFull, createTally } from "./admission.ts";
import { BLOCK_COLUMNS, HASHED_COLUMNS } from "./columns.ts";
import { createDecoder, type Decoder } from "./decoder.ts";
import { RecordLists } from "./record-lists.ts";
import { RECORDS, type ReadList, walkExport } from "./walk-export.ts";
import { createMetricWalk } from "./walk-metrics.ts";

/** Whole, or in the pieces that it came in. */
export type Body = Uint8Array | readonly Uint8Array[];

export type BlockBuilder = {
  readonly rows: number;
  /** Of the bodies that are in the block. */
  readonly bytes: number;
  /**
   * Throws BadBody for a body whose frame is broken, or that is too much for any block; BlockFull for one that may fit
   * into the next block. Such a body leaves the block as it was.
   * Whose it is and whether its word is trusted (of spans) is the credential's to say.
   */
  add(workspace: string, body: Body, isTrusted?: boolean): Admission;
  /** The block, and starts the next one. Its bytes are those of this builder, and valid until `take` is called again. */
  take(): WholeBlock;
};

/** Memory that a decoder took is its own for good: one that took more than this is followed by a new one. */
const KEPT_BYTES = 128 * 1024 * 1024;

export function createBlockBuilder(table: SignalTable): BlockBuilder {
  let bytes = 0;
  let taken = Buffer.alloc(0);
  let opened = open(table);

  const clear = (): void => {
    opened.decoder.wasm.clear();
    bytes = 0;
    if (opened.decoder.memoryBytes > KEPT_BYTES) opened = open(table);
  };

  return {
    get rows() {
      return opened.decoder.wasm.rowCount();
    },
    get bytes() {
      return bytes;
    },
    add(workspace, body, isTrusted = false) {
      const { decoder, lists } = opened;
      const { wasm } = decoder;
      const before = wasm.rowCount();
      const held = holdBody(decoder, workspace, body instanceof Uint8Array ? [body] : body);
      lists.tally = createTally();
      try {
        opened.read(held, isTrusted);
        bytes += held.body.length;
        return lists.tally.admit(wasm.rowCount() - before);
      } catch (thrown) {
        wasm.dropBody();
        throw thrown instanceof BlockFull && before === 0 ? new BadBody("body", TOO_MUCH) : thrown;
      } finally {
        // Nobody takes a block without rows: what refused records left in the dictionaries would stay.
        if (wasm.rowCount() === 0) clear();
      }
    },
    take() {
      const { wasm, view } = opened.decoder;
      const rows = wasm.rowCount();
      const length = wasm.writeBlock();
      if (taken.length < length || taken.length > KEPT_BYTES) taken = Buffer.allocUnsafeSlow(length);
      const content = taken.subarray(0, length);
      view(wasm.blockStart(), length).copy(content);
      clear();
      return {
        rows,
        bytes: length,
        content,
        async *read() {
          yield content;
        },
      };
    },
  };
}

type Opened = { decoder: Decoder; lists: RecordLists; read(held: HeldBody, isTrusted: boolean): void };

function open(table: SignalTable): Opened {
  const signal = SIGNALS.find((candidate) => TABLE_OF_SIGNAL[candidate] === table);
  assert(signal, `a signal whose table is ${table}`);
  const decoder = createDecoder(signal);
  placeColumns(decoder, table);
  const lists = new RecordLists(decoder);
  const readList: ReadList =
    signal === "metrics" ? createMetricWalk(decoder, lists) : (list) => lists.read(RECORDS, list, 0);
  return {
    decoder,
    lists,
    read({ start, workspaceBytes, body }, isTrusted) {
      // Part of a log record's identity; the others have ids.
      const checksum = signal === "logs" ? crc32(body) : 0;
      decoder.wasm.startBody(start, workspaceBytes, body.length, checksum, Number(isTrusted));
      walkExport(decoder.wasm, signal, lists, readList);
    },
  };
}

const TOO_MUCH = "holds too many records, or too much that each of them repeats: send smaller batches";

/** In the decoder's memory: the workspace's name, and behind it the body. */
type HeldBody = { start: number; workspaceBytes: number; body: Buffer };

function holdBody({ wasm, view }: Decoder, workspace: string, pieces: readonly Uint8Array[]): HeldBody {
  const workspaceBytes = Buffer.byteLength(workspace);
  const bytes = workspaceBytes + pieces.reduce((sum, piece) => sum + piece.length, 0);
  const start = wasm.holdBytes(bytes);
  const held = view(start, bytes);
  let at = held.write(workspace);
  for (const piece of pieces) {
    held.set(piece, at);
    at += piece.length;
  }
  return { start, workspaceBytes, body: held.subarray(workspaceBytes) };
}

/** Tells the decoder in which order its columns come, and what stands before each. */
function placeColumns({ wasm, hold, readString }: Decoder, table: SignalTable): void {
  const names = Array.from({ length: wasm.columnCount() }, (_, i) => readString(wasm.columnName(i)));
  const columns = BLOCK_COLUMNS[table];
  assert(columns.length === names.length, `${columns.length} columns of ${table}, not ${names.length}`);
  const placeOf = (name: string): number => {
    const place = names.indexOf(name);
    assert(place >= 0, `a decoder that fills ${table}.${name}`);
    return place;
  };
  for (const { name, type } of columns) {
    wasm.placeColumn(placeOf(name), hold(`${name}${type}`).start, name.length, type.length);
  }
  for (const name of HASHED_COLUMNS[table]) wasm.hashColumn(placeOf(name));
}
