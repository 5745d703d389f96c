/**
 * OTLP bodies of one signal in, one block of its table out: what the host calls (src/decoder.ts). A body lies in this
 * memory; the host walks its envelopes with the functions of the reader, and lists of records are read here.
 */
import { resetPath } from "./failure";
import { signal } from "./host";
import { LogReader } from "./logs";
import { MetricHead } from "./metric-head";
import { PointReader } from "./points";
import { Reader } from "./reader";
import { RecordReader } from "./record-reader";
import { Rows } from "./rows";
import { cutAll, cutToBody, cutToRecord, markBody, markRecord, Sink } from "./sink";
import { SpanReader } from "./spans";

export { seedHash } from "./bytes";
export { pathDepth, pathStart } from "./failure";
export {
  CONVERSATION,
  EVENT_NAME,
  FIRST_MARK,
  LAYER,
  MODEL,
  OLD_CONVERSATION,
  OPERATION,
  RUN_ID,
  SERVICE,
  SESSION,
  TASK,
  TEAM,
  THREAD,
  USAGE,
} from "./lifted-values";
export {
  addWord,
  LAYERS,
  MARKS,
  METRIC_TYPES,
  OPERATIONS_WITHOUT_MODEL,
  REPLICA_SPANS,
  SPAN_KINDS,
  SPAN_STATUSES,
  TEMPORALITIES,
} from "./words";

const LOGS = 1;
const METRICS = 2;

const reader = new Reader();
const rows = new Rows();
/** Of the metric whose points are read, if it is metrics. */
const head = new MetricHead();
const records: RecordReader = createRecords();

function createRecords(): RecordReader {
  if (signal() === METRICS) return new PointReader(rows, head);
  return signal() === LOGS ? new LogReader(rows) : new SpanReader(rows);
}

const body = new Sink();
const out = new Sink();

/** Room for so many bytes that the host writes: a body, or text. Valid until it is called again. */
export function holdBytes(count: u32): usize {
  body.length = 0;
  return body.reserve(count);
}

// The block's columns, in the order in which the host asks for them.

/** Of each: its place among the columns of the rows, and its name and type as a block has them. */
const places: i32[] = [];
const headers: Sink[] = [];

export function columnCount(): i32 {
  return rows.names.length;
}
export function columnName(index: i32): string {
  return rows.names[index];
}
/** Its name lies there, and behind it its type. */
export function placeColumn(index: i32, start: usize, nameCount: u32, typeCount: u32): void {
  places.push(index);
  const header = new Sink();
  header.writeText(start, nameCount);
  header.writeText(start + nameCount, typeCount);
  headers.push(header);
}

/** The content's hash is of this column too, in the order in which they are named. */
export function hashColumn(index: i32): void {
  rows.contentHash.of.push(rows.columns[index]);
}

// The body.

/** Where the workspace's name lies, and behind it the body. */
export function startBody(start: usize, workspaceCount: u32, bodyCount: u32, checksum: u32, isTrusted: boolean): void {
  resetPath();
  markBody();
  recordEnd = 0;
  reader.at = start + workspaceCount;
  reader.end = reader.at + bodyCount;
  records.startBody(bodyCount, checksum, isTrusted);
  rows.startBody(start, workspaceCount, bodyCount);
}
export function dropBody(): void {
  cutToBody();
  rows.dropBody();
}
export function rowCount(): u32 {
  return rows.count;
}

// The envelopes.

/**
 * Looks for the next field with that tag in the message, and returns the tag; 0 at its end. Fields up to `lastField` are
 * the message's own: the tag of one that has another wire type is returned too.
 */
export function seek(wanted: u32, lastField: u32): u32 {
  resetPath();
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === wanted || (tag >>> 3 <= lastField && (tag & 7) !== (wanted & 7))) return tag;
    reader.skip(tag);
  }
  return 0;
}
export function position(): usize {
  return reader.at;
}
export function moveTo(at: usize): void {
  reader.at = at;
}
export function end(): usize {
  return reader.end;
}
export function setEnd(at: usize): void {
  reader.end = at;
}
export function enter(): usize {
  return reader.enter();
}
export function leave(outer: usize): void {
  reader.leave(outer);
}

export function startResource(): void {
  rows.startResource();
}
export function readResource(): void {
  rows.readResource(reader);
}
export function closeResource(): void {
  rows.closeResource();
}
export function dropResource(): void {
  rows.dropResource();
}
export function startScope(): void {
  rows.startScope();
}
export function readScope(): void {
  rows.readScope(reader);
}

// A metric, before its points: `readMetricHead` returns its kind or -1.

export function readMetricHead(): i32 {
  resetPath();
  head.read(reader);
  return head.kind;
}
/** The name of a text of its that is none, or an empty string. */
export function badMetricText(): string {
  return head.badText;
}
export function readDataHead(): void {
  resetPath();
  head.readData(reader);
}
/** Of the data that was looked through last, as far as it could be read. */
export function pointCount(): u32 {
  return head.points;
}

// The records.

let listEnd: usize = 0;
let recordEnd: usize = 0;
/** In its list, of the record that is read next. */
let nextIndex: i32 = 0;

/** Reads all messages with that tag as records, the first of them with that index; returns the index after the last. */
export function readRecords(tag: u32, firstIndex: i32): i32 {
  nextIndex = firstIndex;
  while (reader.more) {
    const found = reader.readTag();
    if (found !== tag) {
      reader.skip(found);
      continue;
    }
    resetPath();
    markRecord();
    listEnd = reader.enter();
    recordEnd = reader.end;
    nextIndex += 1;
    rows.closeRow(records.read(reader));
    records.pass();
    recordEnd = 0;
    reader.leave(listEnd);
  }
  return nextIndex;
}

/** Passes a record that is refused unread. */
export function passRecord(tag: u32): void {
  reader.skip(tag);
  records.pass();
}

/** After a refusal in `readRecords`: drops the record and passes it; returns the index of the next. 0: it was not a record's. */
export function dropRecord(): i32 {
  if (recordEnd === 0) return 0;
  reader.end = recordEnd;
  reader.leave(listEnd);
  recordEnd = 0;
  records.pass();
  cutToRecord();
  rows.reopen();
  return nextIndex;
}

// The block.

/** Writes the block; it lies at `blockStart` until it is written again. */
export function writeBlock(): u32 {
  out.length = 0;
  out.writeVarint(places.length);
  out.writeVarint(rows.count);
  rows.contentHash.rows = rows.count;
  for (let i = 0; i < places.length; i++) {
    const column = rows.columns[places[i]];
    out.write(headers[i].start, headers[i].length);
    column.writePrefix(out);
    column.writeData(out);
  }
  return out.length;
}
export function blockStart(): usize {
  return out.start;
}
/** Takes all rows away. */
export function clear(): void {
  cutAll();
  rows.clear();
}
