/**
 * A data point of any kind → a row of `metrics`. Numbers are copied as they stand on the wire, so that 64-bit integers
 * stay exact; a point with the flag "no recorded value" is kept, without one.
 */
import { METRIC_TYPES, TEMPORALITIES } from "@centspan/model";
import { seenFrom } from "./admission.ts";
import { readAttribute } from "./attributes.ts";
import { appendEnum, appendId, appendInstant, readNested, readNestedAttribute } from "./fields.ts";
import { NO_ID, passInstant, passOptionalId } from "./ids.ts";
import { LiftedValues } from "./lifted-values.ts";
import type { MetricColumns } from "./metric-columns.ts";
import type { FixedPart, MetricKind } from "./metric-kinds.ts";
import type { FixedColumn, ListColumn, NullableColumn } from "./native/column.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

/** What a metric says of all its points. */
export type MetricHead = {
  kind: MetricKind;
  /** In the dictionaries of their columns. */
  name: number;
  unit: number;
  descriptionStart: number;
  descriptionEnd: number;
  temporality: number;
  monotonic: boolean;
};

/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK. */
const NO_RECORDED_VALUE = 1;

/** Where the parts of a point stand in its message, or the number itself. */
class PointFields {
  readonly places: Record<FixedPart, number> = {
    startedAt: NO_ID,
    at: NO_ID,
    asDouble: NO_ID,
    asInt: NO_ID,
    count: NO_ID,
    sum: NO_ID,
    min: NO_ID,
    max: NO_ID,
    zeroCount: NO_ID,
    zeroThreshold: NO_ID,
  };
  flags = 0;
  scale = 0;
  positiveOffset = 0;
  negativeOffset = 0;
  attributes = 0;
}

export function createPointReader(columns: MetricColumns): (reader: WireReader, head: MetricHead) => void {
  const lifted = new LiftedValues(columns.attributes);
  let fields = new PointFields();

  function readPart(reader: WireReader, tag: number, kind: MetricKind): void {
    const { places } = fields;
    const part = kind.point.parts.get(tag);
    switch (part) {
      case undefined:
        skipUnknown(reader, tag, kind.point.names);
        return;
      case "attributes":
        readAttributeOfPoint(reader);
        return;
      case "startedAt":
        places.startedAt = passInstant(reader, "startTimeUnixNano");
        return;
      case "at":
        places.at = passInstant(reader, "timeUnixNano");
        return;
      case "asDouble":
        // Two members of one oneof: the last one counts.
        places.asDouble = reader.pass(8);
        places.asInt = NO_ID;
        return;
      case "asInt":
        places.asInt = reader.pass(8);
        places.asDouble = NO_ID;
        return;
      case "flags":
        fields.flags = reader.readInt32();
        return;
      case "scale":
        fields.scale = readSint32(reader);
        return;
      case "bucketCounts":
        readFixedList(reader, tag, columns.bucket_counts.item);
        return;
      case "bounds":
        readFixedList(reader, tag, columns.bounds.item);
        return;
      case "positive":
        fields.positiveOffset = readBuckets(reader, part, columns.positive_counts.item, fields.positiveOffset);
        return;
      case "negative":
        fields.negativeOffset = readBuckets(reader, part, columns.negative_counts.item, fields.negativeOffset);
        return;
      case "quantiles":
        readNested(reader, "quantileValues", openItems(columns.bounds), readQuantile);
        return;
      case "exemplars":
        readNested(reader, part, openItems(columns.exemplars), readExemplar);
        return;
      default:
        places[part] = reader.pass(8);
    }
  }

  function readAttributeOfPoint(reader: WireReader): void {
    try {
      lifted.note(readAttribute(reader, columns.attributes));
      fields.attributes += 1;
    } catch (thrown) {
      throw seenFrom(`attributes[${fields.attributes}]`, thrown);
    }
  }

  function readQuantile(reader: WireReader): void {
    let quantile = NO_ID;
    let value = NO_ID;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === QUANTILE) quantile = reader.pass(8);
      else if (tag === QUANTILE_VALUE) value = reader.pass(8);
      else skipUnknown(reader, tag, { 1: "quantile", 2: "value" });
    }
    appendInstant(columns.bounds.item, reader, quantile);
    appendInstant(columns.quantile_values.item, reader, value);
  }

  function readExemplar(reader: WireReader): void {
    const { members } = columns.exemplars.item;
    let at = NO_ID;
    let traceId = NO_ID;
    let spanId = NO_ID;
    let value = Number.NaN;
    let attributes = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === EXEMPLAR.at) at = passInstant(reader, "timeUnixNano");
      else if (tag === EXEMPLAR.asDouble) value = reader.view.getFloat64(reader.pass(8), true);
      else if (tag === EXEMPLAR.asInt) value = Number(reader.view.getBigInt64(reader.pass(8), true));
      else if (tag === EXEMPLAR.traceId) traceId = passOptionalId(reader, 16, "traceId");
      else if (tag === EXEMPLAR.spanId) spanId = passOptionalId(reader, 8, "spanId");
      else if (tag === EXEMPLAR.attributes)
        readNestedAttribute(reader, members.attributes, attributes++, "filteredAttributes");
      else skipUnknown(reader, tag, EXEMPLAR_NAMES);
    }
    appendInstant(members.at, reader, at);
    members.value.appendDouble(value);
    appendId(members.traceId, reader, traceId, 16);
    appendId(members.spanId, reader, spanId, 8);
    members.attributes.close();
  }

  /** Nothing here can fail: the point is good. */
  function append(reader: WireReader, head: MetricHead): void {
    const { places, flags } = fields;
    columns.name.appendIndex(head.name);
    appendEnum(columns.type, METRIC_TYPES, METRIC_TYPES.indexOf(head.kind.type));
    columns.unit.appendIndex(head.unit);
    columns.description.append(reader, head.descriptionStart, head.descriptionEnd);
    appendEnum(columns.temporality, TEMPORALITIES, head.temporality);
    columns.monotonic.appendByte(Number(head.monotonic));
    appendInstant(columns.started_at, reader, places.startedAt);
    appendInstant(columns.at, reader, places.at);
    columns.flags.appendUint32(flags);
    appendNumber(columns.value_int, reader, head, "asInt");
    appendNumber(columns.value_double, reader, head, "asDouble");
    appendNumber(columns.count, reader, head, "count");
    appendNumber(columns.sum, reader, head, "sum");
    appendNumber(columns.min, reader, head, "min");
    appendNumber(columns.max, reader, head, "max");
    for (const list of [columns.bounds, columns.bucket_counts, columns.quantile_values]) list.close();
    columns.scale.appendUint32(fields.scale);
    appendInstant(columns.zero_count, reader, places.zeroCount);
    appendInstant(columns.zero_threshold, reader, places.zeroThreshold);
    columns.positive_offset.appendUint32(fields.positiveOffset);
    columns.positive_counts.close();
    columns.negative_offset.appendUint32(fields.negativeOffset);
    columns.negative_counts.close();
    columns.exemplars.close();
    lifted.appendSession(columns.session_id);
    // Last, because it may move the values that are lifted out.
    columns.attributes.close();
  }

  function appendNumber(column: NullableColumn, reader: WireReader, { kind }: MetricHead, part: FixedPart): void {
    const place = fields.places[part];
    const isRecorded = (fields.flags & NO_RECORDED_VALUE) === 0;
    if (!isRecorded || (place === NO_ID && !kind.always.has(part))) {
      column.appendNull();
      return;
    }
    appendInstant(column.value, reader, place);
    column.closeValue();
  }

  return (reader, head) => {
    fields = new PointFields();
    lifted.start();
    while (reader.more) readPart(reader, reader.readTag(), head.kind);
    append(reader, head);
  };
}

const QUANTILE = tagOf(1, WIRE.fixed64);
const QUANTILE_VALUE = tagOf(2, WIRE.fixed64);
const EXEMPLAR = {
  at: tagOf(2, WIRE.fixed64),
  asDouble: tagOf(3, WIRE.fixed64),
  spanId: tagOf(4, WIRE.bytes),
  traceId: tagOf(5, WIRE.bytes),
  asInt: tagOf(6, WIRE.fixed64),
  attributes: tagOf(7, WIRE.bytes),
};
const EXEMPLAR_NAMES = {
  2: "timeUnixNano",
  3: "asDouble",
  4: "spanId",
  5: "traceId",
  6: "asInt",
  7: "filteredAttributes",
};
const OFFSET = tagOf(1, WIRE.varint);
const COUNTS = tagOf(2, WIRE.bytes);
const COUNT = tagOf(2, WIRE.varint);
const BUCKET_NAMES = { 1: "offset", 2: "bucketCounts" };

/** How many items the row that is being written has so far. */
const openItems = (list: ListColumn<FixedColumn> | MetricColumns["exemplars"]): number =>
  list.item.rows - list.startOf(list.rows);

/** Numbers of eight bytes, packed or a single one. */
function readFixedList(reader: WireReader, tag: number, column: FixedColumn): void {
  if ((tag & 7) === WIRE.fixed64) {
    column.appendFrom(reader, reader.pass(8));
    return;
  }
  const outer = reader.enter();
  while (reader.more) column.appendFrom(reader, reader.pass(8));
  reader.leave(outer);
}

/** Returns the offset of the first bucket. */
function readBuckets(reader: WireReader, name: string, column: FixedColumn, before: number): number {
  let offset = before;
  try {
    const outer = reader.enter();
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === OFFSET) offset = readSint32(reader);
      else if (tag === COUNT) appendUint64(column, reader.readInt64());
      else if (tag === COUNTS) {
        const message = reader.enter();
        while (reader.more) appendUint64(column, reader.readInt64());
        reader.leave(message);
      } else skipUnknown(reader, tag, BUCKET_NAMES);
    }
    reader.leave(outer);
  } catch (thrown) {
    throw seenFrom(name, thrown);
  }
  return offset;
}

/** The 64 bits of a varint, read as signed. */
function appendUint64(column: FixedColumn, value: bigint): void {
  column.appendUint32(Number(BigInt.asUintN(32, value)));
  column.appendUint32(Number(BigInt.asUintN(32, value >> 32n)));
}

/** Zigzag: small numbers of either sign are short. */
function readSint32(reader: WireReader): number {
  const value = reader.readInt32();
  return (value >>> 1) ^ -(value & 1);
}
