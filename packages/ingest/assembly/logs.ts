/**
 * OTLP logs in protobuf → rows of `logs`, in one pass over the bytes.
 * Field numbers: opentelemetry-proto v1.11, logs/v1/logs.proto.
 * A record has no id of its own. Its identity is the request (length and CRC-32 of its body) and its place in it, so
 * that an exact retry of the request is recognised. It needs no trace and no span, but an id that is there is whole.
 */
import { readAttribute, readValue } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { FixedColumn, TextColumn } from "./column";
import { enterPath, leavePath } from "./failure";
import { passInstant, passOptionalId } from "./fields";
import { EVENT_NAME, LiftedValues } from "./lifted-values";
import { NameColumn } from "./name-column";
import { Reader } from "./reader";
import { RecordReader } from "./record-reader";
import { Rows } from "./rows";
import { WireText } from "./wire-text";

const TIME: u32 = 0x09;
const SEVERITY_NUMBER: u32 = 0x10;
const SEVERITY_TEXT: u32 = 0x1a;
const BODY: u32 = 0x2a;
const ATTRIBUTES: u32 = 0x32;
const DROPPED_ATTRIBUTES: u32 = 0x38;
const FLAGS: u32 = 0x45;
const TRACE_ID: u32 = 0x4a;
const SPAN_ID: u32 = 0x52;
const OBSERVED_TIME: u32 = 0x59;
const NAME: u32 = 0x62;
const LOG_NAMES: StaticArray<string> = [
  "",
  "timeUnixNano",
  "severityNumber",
  "severityText",
  "",
  "body",
  "attributes",
  "droppedAttributesCount",
  "flags",
  "traceId",
  "spanId",
  "observedTimeUnixNano",
  "eventName",
];

/** SEVERITY_NUMBER_FATAL4; enums are open, and numbers that this version doesn't define are "not specified". */
const MAX_SEVERITY: u32 = 24;

export class LogReader extends RecordReader {
  private readonly bodies: TextColumn = new TextColumn();
  private readonly attributes: AttributesColumn = new AttributesColumn(true);
  private readonly lifted: LiftedValues = new LiftedValues(this.attributes);
  private readonly at: FixedColumn = new FixedColumn();
  private readonly observedAt: FixedColumn = new FixedColumn();
  private readonly traceIds: TextColumn = new TextColumn();
  private readonly spanIds: TextColumn = new TextColumn();
  private readonly severityNumbers: FixedColumn = new FixedColumn();
  private readonly severityTexts: NameColumn = new NameColumn();
  private readonly eventNames: NameColumn = new NameColumn();
  private readonly flags: FixedColumn = new FixedColumn();
  private readonly droppedAttributes: FixedColumn = new FixedColumn();
  private readonly sessionIds: TextColumn = new TextColumn();
  private readonly mayBeCall: FixedColumn = new FixedColumn();
  private readonly requestHashes: FixedColumn = new FixedColumn();
  private readonly positions: FixedColumn = new FixedColumn();

  /** Of the request: its length above, its checksum below; and how many of its records were begun. */
  private requestHash: u64 = 0;
  private position: u32 = 0;

  // Of the record that is being read: where it stands, or the number itself.
  private time: usize = 0;
  private observedTime: usize = 0;
  private traceId: usize = 0;
  private spanId: usize = 0;
  private severity: u32 = 0;
  private readonly severityText: WireText = new WireText();
  private readonly name: WireText = new WireText();
  private attributesLost: u32 = 0;
  private flagBits: u32 = 0;

  constructor(rows: Rows) {
    super();
    rows.addNested("body", this.bodies);
    rows.addNested("attributes", this.attributes);
    rows.add("at", this.at);
    rows.add("observed_at", this.observedAt);
    rows.add("trace_id", this.traceIds);
    rows.add("span_id", this.spanIds);
    rows.add("severity_number", this.severityNumbers);
    rows.add("severity_text", this.severityTexts);
    rows.add("event_name", this.eventNames);
    rows.add("flags", this.flags);
    rows.add("dropped_attributes", this.droppedAttributes);
    rows.add("session_id", this.sessionIds);
    rows.add("may_be_call", this.mayBeCall);
    rows.add("request_hash", this.requestHashes);
    rows.add("position", this.positions);
  }

  startBody(bytes: u32, checksum: u32, _isTrusted: boolean): void {
    this.requestHash = (u64(bytes) << 32) | u64(checksum);
    this.position = 0;
  }

  pass(): void {
    this.position += 1;
  }

  read(reader: Reader): u32 {
    this.begin();
    const sink = this.bodies.sink;
    const start = sink.length;
    while (reader.more) this.readField(reader, reader.readTag(), start);
    if (sink.length === start) this.bodies.appendEmpty();
    const severityText = this.severityTexts.dictionary.intern(
      this.severityText.start,
      this.severityText.count,
      "severityText",
    );
    this.append(severityText, this.eventNames.dictionary.intern(this.name.start, this.name.count, "eventName"));
    return 0;
  }

  private begin(): void {
    this.lifted.start();
    this.time = 0;
    this.observedTime = 0;
    this.traceId = 0;
    this.spanId = 0;
    this.severity = 0;
    this.severityText.clear();
    this.name.clear();
    this.attributesLost = 0;
    this.flagBits = 0;
  }

  private readField(reader: Reader, tag: u32, bodyStart: u32): void {
    switch (tag) {
      case ATTRIBUTES:
        enterPath("attributes", this.attributes.count);
        this.lifted.note(readAttribute(reader, this.attributes));
        leavePath();
        return;
      case BODY:
        // A field that comes twice counts as it came last.
        this.bodies.sink.length = bodyStart;
        readValue(reader, this.bodies, "body");
        return;
      case TIME:
        this.time = passInstant(reader, "timeUnixNano");
        return;
      case OBSERVED_TIME:
        this.observedTime = passInstant(reader, "observedTimeUnixNano");
        return;
      case TRACE_ID:
        this.traceId = passOptionalId(reader, 16, "traceId");
        return;
      case SPAN_ID:
        this.spanId = passOptionalId(reader, 8, "spanId");
        return;
      case SEVERITY_NUMBER:
        this.severity = reader.readInt32();
        return;
      case SEVERITY_TEXT:
        this.severityText.read(reader);
        return;
      case NAME:
        this.name.read(reader);
        return;
      case FLAGS:
        this.flagBits = load<u32>(reader.pass(4));
        return;
      case DROPPED_ATTRIBUTES:
        this.attributesLost = reader.readInt32();
        return;
      default:
        reader.skipUnknown(tag, LOG_NAMES);
    }
  }

  private append(severityText: u32, name: u32): void {
    const isTimed = this.time !== 0 && load<u64>(this.time) !== 0;
    this.at.appendEight(isTimed ? this.time : this.observedTime);
    this.observedAt.appendEight(this.observedTime);
    this.traceIds.appendHex(this.traceId, 16);
    this.spanIds.appendHex(this.spanId, 8);
    this.severityNumbers.sink.writeByte(this.severity <= MAX_SEVERITY ? this.severity : 0);
    this.severityTexts.appendIndex(severityText);
    if (this.name.count === 0) this.lifted.appendName(EVENT_NAME, this.eventNames);
    else this.eventNames.appendIndex(name);
    this.flags.sink.writeUint32(this.flagBits);
    this.droppedAttributes.sink.writeUint32(this.attributesLost);
    this.lifted.appendSession(this.sessionIds);
    this.mayBeCall.sink.writeByte(u32(this.lifted.mayBeCall()));
    this.requestHashes.sink.writeUint64(this.requestHash);
    this.positions.sink.writeUint32(this.position);
    this.attributes.close();
  }
}
