/**
 * OTLP metrics in protobuf → rows of `metrics`, one for each data point, without an object per point.
 * Field numbers: opentelemetry-proto v1.11, metrics/v1/metrics.proto.
 * Invariants: a bad point refuses itself; a metric that can't be read refuses its points, and counts as one where it
 * shows none, so that it is not lost in silence. What a metric says of its points may stand behind them on the wire.
 */
import { isUtf8 } from "node:buffer";
import { BadValue, seenFrom } from "./admission.ts";
import { createMetricColumns, type MetricColumns } from "./metric-columns.ts";
import { METRIC_KINDS, type MetricKind } from "./metric-kinds.ts";
import { createPointReader, type MetricHead } from "./metric-point.ts";
import type { RowWriter } from "./row-writer.ts";
import type { SignalReader } from "./signal-reader.ts";
import type { RecordReader } from "./walk-export.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

const METRIC = { name: tagOf(1, WIRE.bytes), description: tagOf(2, WIRE.bytes), unit: tagOf(3, WIRE.bytes) };
const METRIC_NAMES = {
  1: "name",
  2: "description",
  3: "unit",
  5: "gauge",
  7: "sum",
  9: "histogram",
  10: "exponentialHistogram",
  11: "summary",
};
const POINT = tagOf(1, WIRE.bytes);
const TEMPORALITY = tagOf(2, WIRE.varint);
const MONOTONIC = tagOf(3, WIRE.varint);

export function createMetricReader(): SignalReader {
  const columns = createMetricColumns();
  return {
    columns,
    open: (rows) => ({ startBody: () => undefined, readRecord: createWalk(columns, rows) }),
  };
}

function createWalk(columns: MetricColumns, rows: RowWriter): RecordReader {
  const readPoint = createPointReader(columns);
  /** Points that are refused with their metric if its frame turns out to be broken. */
  let unread = 0;

  function readMetric(reader: WireReader, path: string): void {
    const start = reader.at;
    const head = readHead(reader, path);
    if (head === null) return;
    let index = 0;
    reader.at = start;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === head.kind.tag) index = readData(reader, head, path, index);
      else reader.skip(tag);
    }
  }

  /** Null for a metric that holds no data. Of several kinds of data the last one counts, as of any oneof. */
  function readHead(reader: WireReader, path: string): MetricHead | null {
    let kind: MetricKind | undefined;
    const head = { name: 0, unit: 0, descriptionStart: 0, descriptionEnd: 0, temporality: 0, monotonic: false };
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === METRIC.name) {
        head.name = readText(reader, `${path}.name`, (start, end) =>
          columns.name.dictionary.intern(reader, start, end),
        );
      } else if (tag === METRIC.unit) {
        head.unit = readText(reader, `${path}.unit`, (start, end) =>
          columns.unit.dictionary.intern(reader, start, end),
        );
      } else if (tag === METRIC.description) {
        head.descriptionStart = readText(reader, `${path}.description`, (start, end) => checkText(reader, start, end));
        head.descriptionEnd = reader.at;
      } else if (METRIC_KINDS.has(tag)) {
        kind = METRIC_KINDS.get(tag);
        reader.skip(tag);
      } else skipUnknown(reader, tag, METRIC_NAMES);
    }
    return kind === undefined ? null : { ...head, kind };
  }

  /** What the text is kept as. Text that is no text is a problem of all the points, which are still to be counted. */
  function readText(reader: WireReader, path: string, keep: (start: number, end: number) => number): number {
    const start = reader.passBytes();
    try {
      return keep(start, reader.at);
    } catch (thrown) {
      rows.problem ??= expectBadValue(seenFrom(path, thrown));
      return 0;
    }
  }

  /** Returns the index of the next point. */
  function readData(reader: WireReader, head: MetricHead, path: string, firstIndex: number): number {
    const { kind } = head;
    let index = firstIndex;
    const outer = reader.enter();
    const start = reader.at;
    readSharedOfPoints(reader, head);
    unread = 0;
    reader.at = start;
    rows.prefix = `${path}.${kind.name}.`;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === POINT) {
        rows.attempt(reader, "dataPoints", index++, (point) => readPoint(point, head));
        rows.weigh(head.descriptionEnd - head.descriptionStart);
      } else reader.skip(tag);
    }
    reader.leave(outer);
    return index;
  }

  function readSharedOfPoints(reader: WireReader, head: MetricHead): void {
    const { kind } = head;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === TEMPORALITY && 2 in kind.names) head.temporality = reader.readInt32();
      else if (tag === MONOTONIC && 3 in kind.names) head.monotonic = reader.readInt64() !== 0n;
      else if (tag === POINT) {
        unread += 1;
        reader.skip(tag);
      } else skipUnknown(reader, tag, kind.names);
    }
  }

  return (reader, list, index) => {
    const outer = reader.enter();
    const { end } = reader;
    const { prefix, problem, tally } = rows;
    const path = `${prefix}${list}[${index}]`;
    const refused = tally.rejected;
    unread = 0;
    try {
      readMetric(reader, path);
    } catch (thrown) {
      const broken = expectBadValue(seenFrom(path, thrown));
      for (let left = Math.max(unread, 1); left > 0; left--) tally.refuse(broken);
    }
    if (rows.problem !== null && rows.problem !== problem && tally.rejected === refused) tally.refuse(rows.problem);
    rows.problem = problem;
    rows.prefix = prefix;
    reader.end = end;
    reader.leave(outer);
  };
}

function checkText(reader: WireReader, start: number, end: number): number {
  if (!isUtf8(reader.bytes.subarray(start, end))) throw new BadValue("invalid_text", "must be UTF-8");
  return start;
}

/** Whatever else is thrown is a bug, and goes on. */
function expectBadValue(thrown: unknown): BadValue {
  if (thrown instanceof BadValue) return thrown;
  throw thrown;
}
