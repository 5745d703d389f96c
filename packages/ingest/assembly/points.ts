/**
 * A data point of any kind → a row of `metrics`. Numbers are copied as they stand on the wire, so that 64-bit integers
 * stay exact; a point with the flag "no recorded value" is kept, without one.
 */
import { readAttribute } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { FixedColumn, NullableColumn, NumberListColumn, TextColumn } from "./column";
import { ExemplarsColumn } from "./exemplars";
import { enterPath, leavePath } from "./failure";
import { passInstant } from "./fields";
import { refuse } from "./host";
import { LiftedValues } from "./lifted-values";
import { MetricHead } from "./metric-head";
import {
  AS_DOUBLE,
  AS_INT,
  AT,
  ATTRIBUTES,
  BOUNDS,
  BUCKET_COUNTS,
  COUNT,
  EXEMPLARS,
  FIXED_PARTS,
  isAlways,
  isWireOf,
  MAX,
  MIN,
  NEGATIVE,
  PART_NAMES,
  POINT_FLAGS,
  POSITIVE,
  partOf,
  QUANTILES,
  SCALE,
  STARTED_AT,
  SUM_OF,
  ZERO_COUNT,
  ZERO_THRESHOLD,
} from "./metric-kinds";
import { NameColumn } from "./name-column";
import { FIXED64, Reader } from "./reader";
import { RecordReader } from "./record-reader";
import { Rows } from "./rows";
import { appendEnum, METRIC_TYPES, TEMPORALITIES } from "./words";

/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK. */
const NO_RECORDED_VALUE: u32 = 1;

const QUANTILE: u32 = 0x09;
const QUANTILE_VALUE: u32 = 0x11;
const QUANTILE_NAMES: StaticArray<string> = ["", "quantile", "value"];

const OFFSET: u32 = 0x08;
const BUCKET: u32 = 0x10;
const BUCKETS: u32 = 0x12;
const BUCKET_NAMES: StaticArray<string> = ["", "offset", "bucketCounts"];

/** Buckets of an exponential histogram. */
class Buckets {
  offset: i32 = 0;
  readonly counts: NumberListColumn = new NumberListColumn();
  readonly offsets: FixedColumn = new FixedColumn();

  read(reader: Reader, name: string): void {
    enterPath(name, -1);
    const outer = reader.enter();
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === OFFSET) this.offset = reader.readSint32();
      else if (tag === BUCKET) this.counts.append(reader.readInt64());
      else if (tag === BUCKETS) {
        const message = reader.enter();
        while (reader.more) this.counts.append(reader.readInt64());
        reader.leave(message);
      } else reader.skipUnknown(tag, BUCKET_NAMES);
    }
    reader.leave(outer);
    leavePath();
  }

  close(): void {
    this.offsets.sink.writeUint32(this.offset);
    this.counts.ends.close();
  }
}

export class PointReader extends RecordReader {
  private readonly attributes: AttributesColumn = new AttributesColumn(true);
  private readonly lifted: LiftedValues = new LiftedValues(this.attributes);
  private readonly bounds: NumberListColumn = new NumberListColumn();
  private readonly bucketCounts: NumberListColumn = new NumberListColumn();
  private readonly quantileValues: NumberListColumn = new NumberListColumn();
  private readonly positive: Buckets = new Buckets();
  private readonly negative: Buckets = new Buckets();
  private readonly exemplars: ExemplarsColumn = new ExemplarsColumn();
  private readonly names: NameColumn = new NameColumn();
  private readonly types: NameColumn = new NameColumn();
  private readonly units: NameColumn = new NameColumn();
  private readonly descriptions: TextColumn = new TextColumn();
  private readonly temporalities: NameColumn = new NameColumn();
  private readonly monotonic: FixedColumn = new FixedColumn();
  private readonly startedAt: FixedColumn = new FixedColumn();
  private readonly at: FixedColumn = new FixedColumn();
  private readonly flags: FixedColumn = new FixedColumn();
  private readonly ints: NullableColumn = new NullableColumn();
  private readonly doubles: NullableColumn = new NullableColumn();
  private readonly counts: NullableColumn = new NullableColumn();
  private readonly sums: NullableColumn = new NullableColumn();
  private readonly mins: NullableColumn = new NullableColumn();
  private readonly maxs: NullableColumn = new NullableColumn();
  private readonly scales: FixedColumn = new FixedColumn();
  private readonly zeroCounts: FixedColumn = new FixedColumn();
  private readonly zeroThresholds: FixedColumn = new FixedColumn();
  private readonly sessionIds: TextColumn = new TextColumn();

  // Of the point that is being read: by number, where its parts of eight bytes stand; and the other numbers.
  private readonly places: StaticArray<usize> = new StaticArray<usize>(FIXED_PARTS);
  private flagBits: u32 = 0;
  private scale: i32 = 0;

  /** Of the metric whose points are read. */
  private readonly head: MetricHead;

  constructor(rows: Rows, head: MetricHead) {
    super();
    this.head = head;
    rows.addNested("attributes", this.attributes);
    rows.addNested("bounds", this.bounds);
    rows.addNested("bucket_counts", this.bucketCounts);
    rows.addNested("quantile_values", this.quantileValues);
    rows.addNested("positive_counts", this.positive.counts);
    rows.addNested("negative_counts", this.negative.counts);
    rows.addNested("exemplars", this.exemplars);
    rows.add("name", this.names);
    rows.add("type", this.types);
    rows.add("unit", this.units);
    rows.add("description", this.descriptions);
    rows.add("temporality", this.temporalities);
    rows.add("monotonic", this.monotonic);
    rows.add("started_at", this.startedAt);
    rows.add("at", this.at);
    rows.add("flags", this.flags);
    rows.add("value_int", this.ints);
    rows.add("value_double", this.doubles);
    rows.add("count", this.counts);
    rows.add("sum", this.sums);
    rows.add("min", this.mins);
    rows.add("max", this.maxs);
    rows.add("scale", this.scales);
    rows.add("zero_count", this.zeroCounts);
    rows.add("zero_threshold", this.zeroThresholds);
    rows.add("positive_offset", this.positive.offsets);
    rows.add("negative_offset", this.negative.offsets);
    rows.add("session_id", this.sessionIds);
  }

  read(reader: Reader): u32 {
    this.lifted.start();
    this.places.fill(0);
    this.flagBits = 0;
    this.scale = 0;
    this.positive.offset = 0;
    this.negative.offset = 0;
    while (reader.more) this.readPart(reader, reader.readTag());
    this.append();
    return this.head.description.count;
  }

  private readPart(reader: Reader, tag: u32): void {
    const part = partOf(this.head.kind, tag >>> 3);
    const wire = tag & 7;
    if (part === 0) {
      reader.skip(tag);
      return;
    }
    if (!isWireOf(part, wire)) refuse("malformed", "has wire type #, which is not its own", PART_NAMES[part], wire);
    switch (part) {
      case ATTRIBUTES:
        enterPath("attributes", this.attributes.count);
        this.lifted.note(readAttribute(reader, this.attributes));
        leavePath();
        return;
      case STARTED_AT:
      case AT:
        this.places[part] = passInstant(reader, PART_NAMES[part]);
        return;
      case AS_DOUBLE:
      case AS_INT:
        // Two members of one oneof: the last one counts.
        this.places[AS_DOUBLE] = 0;
        this.places[AS_INT] = 0;
        this.places[part] = reader.pass(8);
        return;
      case POINT_FLAGS:
        this.flagBits = reader.readInt32();
        return;
      case SCALE:
        this.scale = reader.readSint32();
        return;
      case BUCKET_COUNTS:
        readNumbers(reader, wire, this.bucketCounts);
        return;
      case BOUNDS:
        readNumbers(reader, wire, this.bounds);
        return;
      case POSITIVE:
        this.positive.read(reader, "positive");
        return;
      case NEGATIVE:
        this.negative.read(reader, "negative");
        return;
      case QUANTILES:
        this.readQuantile(reader);
        return;
      case EXEMPLARS:
        this.exemplars.read(reader);
        return;
      default:
        this.places[part] = reader.pass(8);
    }
  }

  private readQuantile(reader: Reader): void {
    enterPath("quantileValues", this.bounds.ends.open);
    const outer = reader.enter();
    let quantile: u64 = 0;
    let value: u64 = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === QUANTILE) quantile = load<u64>(reader.pass(8));
      else if (tag === QUANTILE_VALUE) value = load<u64>(reader.pass(8));
      else reader.skipUnknown(tag, QUANTILE_NAMES);
    }
    this.bounds.append(quantile);
    this.quantileValues.append(value);
    reader.leave(outer);
    leavePath();
  }

  private append(): void {
    const head = this.head;
    this.names.append(head.name.start, head.name.count, "");
    appendEnum(this.types, METRIC_TYPES, head.kind);
    this.units.append(head.unit.start, head.unit.count, "");
    this.descriptions.append(head.description.start, head.description.count);
    appendEnum(this.temporalities, TEMPORALITIES, head.temporality);
    this.monotonic.sink.writeByte(u32(head.isMonotonic));
    this.startedAt.appendEight(this.places[STARTED_AT]);
    this.at.appendEight(this.places[AT]);
    this.flags.sink.writeUint32(this.flagBits);
    this.appendNumber(this.ints, AS_INT);
    this.appendNumber(this.doubles, AS_DOUBLE);
    this.appendNumber(this.counts, COUNT);
    this.appendNumber(this.sums, SUM_OF);
    this.appendNumber(this.mins, MIN);
    this.appendNumber(this.maxs, MAX);
    this.bounds.ends.close();
    this.bucketCounts.ends.close();
    this.quantileValues.ends.close();
    this.scales.sink.writeUint32(this.scale);
    this.zeroCounts.appendEight(this.places[ZERO_COUNT]);
    this.zeroThresholds.appendEight(this.places[ZERO_THRESHOLD]);
    this.positive.close();
    this.negative.close();
    this.exemplars.ends.close();
    this.lifted.appendSession(this.sessionIds);
    // Last, because it may move the values that are lifted out.
    this.attributes.close();
  }

  private appendNumber(column: NullableColumn, part: u32): void {
    const place = this.places[part];
    if ((this.flagBits & NO_RECORDED_VALUE) !== 0) column.appendNull();
    else if (place !== 0) column.append(load<u64>(place));
    else if (isAlways(this.head.kind, part)) column.append(0);
    else column.appendNull();
  }
}

/** Numbers of eight bytes, packed or a single one. */
function readNumbers(reader: Reader, wire: u32, column: NumberListColumn): void {
  if (wire === FIXED64) {
    column.append(load<u64>(reader.pass(8)));
    return;
  }
  const outer = reader.enter();
  while (reader.more) column.append(load<u64>(reader.pass(8)));
  reader.leave(outer);
}
