/** What a metric says of all its points, which may stand behind them on the wire: it is read before them. */
import { EXPONENTIAL_HISTOGRAM, GAUGE, HISTOGRAM, SUM, SUMMARY } from "./metric-kinds";
import { Reader } from "./reader";
import { WireText } from "./wire-text";

const NAME: u32 = 0x0a;
const DESCRIPTION: u32 = 0x12;
const UNIT: u32 = 0x1a;
const METRIC_NAMES: StaticArray<string> = [
  "",
  "name",
  "description",
  "unit",
  "",
  "gauge",
  "",
  "sum",
  "",
  "histogram",
  "exponentialHistogram",
  "summary",
];
const NO_KIND: i32 = -1;

const POINT: u32 = 0x0a;
const TEMPORALITY: u32 = 0x10;
const MONOTONIC: u32 = 0x18;
/** The fields of all kinds' data; a gauge and a summary have the first only, and only a sum all. */
const DATA_NAMES: StaticArray<StaticArray<string>> = [
  ["", "dataPoints"],
  ["", "dataPoints", "aggregationTemporality", "isMonotonic"],
  ["", "dataPoints", "aggregationTemporality"],
  ["", "dataPoints", "aggregationTemporality"],
  ["", "dataPoints"],
];

export class MetricHead {
  kind: i32 = NO_KIND;
  readonly name: WireText = new WireText();
  readonly unit: WireText = new WireText();
  readonly description: WireText = new WireText();
  temporality: i32 = 0;
  isMonotonic: bool = false;
  /** Of the data that was looked through last. */
  points: u32 = 0;

  /** Of several kinds of data the last one counts, as of any oneof. */
  read(reader: Reader): void {
    this.kind = NO_KIND;
    this.name.clear();
    this.unit.clear();
    this.description.clear();
    this.temporality = 0;
    this.isMonotonic = false;
    this.points = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === NAME) this.name.read(reader);
      else if (tag === UNIT) this.unit.read(reader);
      else if (tag === DESCRIPTION) this.description.read(reader);
      else if (kindOf(tag) !== NO_KIND) {
        this.kind = kindOf(tag);
        reader.skip(tag);
      } else reader.skipUnknown(tag, METRIC_NAMES);
    }
  }

  /** The first of its texts that is none, or nothing. */
  get badText(): string {
    if (!this.name.isText) return "name";
    if (!this.description.isText) return "description";
    return this.unit.isText ? "" : "unit";
  }

  /** Looks through the message that holds its points. */
  readData(reader: Reader): void {
    this.points = 0;
    const names = DATA_NAMES[this.kind];
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === TEMPORALITY && names.length > 2) this.temporality = reader.readInt32();
      else if (tag === MONOTONIC && names.length > 3) this.isMonotonic = reader.readInt64() !== 0;
      else if (tag === POINT) {
        this.points += 1;
        reader.skip(tag);
      } else reader.skipUnknown(tag, names);
    }
  }
}

function kindOf(tag: u32): i32 {
  switch (tag) {
    case 0x2a:
      return GAUGE;
    case 0x3a:
      return SUM;
    case 0x4a:
      return HISTOGRAM;
    case 0x52:
      return EXPONENTIAL_HISTOGRAM;
    case 0x5a:
      return SUMMARY;
    default:
      return NO_KIND;
  }
}
