/**
 * OTLP traces in protobuf → rows of `spans`, in one pass over the bytes.
 * Field numbers: opentelemetry-proto v1.11, trace/v1/trace.proto.
 */
import { readAttribute } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { FixedColumn, InstantColumn, TextColumn, Uint32Column } from "./column";
import { enterPath, leavePath } from "./failure";
import { passInstant, passOptionalId, refuseId } from "./fields";
import { LiftedValues, MODEL, RUN_ID, TASK, TEAM } from "./lifted-values";
import { NameColumn } from "./name-column";
import { Reader } from "./reader";
import { RecordReader } from "./record-reader";
import { Rows } from "./rows";
import { EventsColumn, LinksColumn } from "./span-lists";
import { WireText } from "./wire-text";
import { appendEnum, isOneOf, REPLICA_SPANS, SPAN_KINDS, SPAN_STATUSES } from "./words";

const TRACE_ID: u32 = 0x0a;
const SPAN_ID: u32 = 0x12;
const TRACE_STATE: u32 = 0x1a;
const PARENT_SPAN_ID: u32 = 0x22;
const NAME: u32 = 0x2a;
const KIND: u32 = 0x30;
const START: u32 = 0x39;
const END: u32 = 0x41;
const ATTRIBUTES: u32 = 0x4a;
const DROPPED_ATTRIBUTES: u32 = 0x50;
const EVENTS: u32 = 0x5a;
const DROPPED_EVENTS: u32 = 0x60;
const LINKS: u32 = 0x6a;
const DROPPED_LINKS: u32 = 0x70;
const STATUS: u32 = 0x7a;
const FLAGS: u32 = 0x85;
const SPAN_NAMES: StaticArray<string> = [
  "",
  "traceId",
  "spanId",
  "traceState",
  "parentSpanId",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "droppedAttributesCount",
  "events",
  "droppedEventsCount",
  "links",
  "droppedLinksCount",
  "status",
  "flags",
];
const STATUS_MESSAGE: u32 = 0x12;
const STATUS_CODE: u32 = 0x18;
const STATUS_NAMES: StaticArray<string> = ["", "", "message", "code"];
export class SpanReader extends RecordReader {
  private readonly attributes: AttributesColumn = new AttributesColumn(true);
  private readonly lifted: LiftedValues = new LiftedValues(this.attributes);
  private readonly events: EventsColumn = new EventsColumn();
  private readonly links: LinksColumn = new LinksColumn();
  private readonly trusted: FixedColumn = new FixedColumn();
  private readonly traceIds: TextColumn = new TextColumn();
  private readonly spanIds: TextColumn = new TextColumn();
  private readonly parentSpanIds: TextColumn = new TextColumn();
  private readonly traceStates: TextColumn = new TextColumn();
  private readonly flags: Uint32Column = new Uint32Column();
  private readonly names: NameColumn = new NameColumn();
  private readonly kinds: NameColumn = new NameColumn();
  private readonly startedAt: InstantColumn = new InstantColumn();
  private readonly endedAt: InstantColumn = new InstantColumn();
  private readonly statuses: NameColumn = new NameColumn();
  private readonly statusMessages: TextColumn = new TextColumn();
  private readonly droppedAttributes: Uint32Column = new Uint32Column();
  private readonly droppedEvents: Uint32Column = new Uint32Column();
  private readonly droppedLinks: Uint32Column = new Uint32Column();
  private readonly layers: NameColumn = new NameColumn();
  private readonly teams: NameColumn = new NameColumn();
  private readonly models: NameColumn = new NameColumn();
  private readonly tasks: TextColumn = new TextColumn();
  private readonly runIds: TextColumn = new TextColumn();
  private readonly sessionIds: TextColumn = new TextColumn();
  private readonly mayBeCall: FixedColumn = new FixedColumn();
  private readonly ofReplica: FixedColumn = new FixedColumn();

  /** The body that is being read. */
  private isTrusted: boolean = false;

  // Of the span that is being read: where it stands, or the number itself.
  private traceId: usize = 0;
  private spanId: usize = 0;
  private parentSpanId: usize = 0;
  private start: usize = 0;
  private end: usize = 0;
  private readonly name: WireText = new WireText();
  private readonly traceState: WireText = new WireText();
  private readonly message: WireText = new WireText();
  private kind: i32 = 0;
  private status: i32 = 0;
  private flagBits: u32 = 0;
  private attributesLost: u32 = 0;
  private eventsLost: u32 = 0;
  private linksLost: u32 = 0;

  constructor(rows: Rows) {
    super();
    rows.addNested("attributes", this.attributes);
    rows.addNested("events", this.events);
    rows.addNested("links", this.links);
    rows.add("trusted", this.trusted);
    rows.add("trace_id", this.traceIds);
    rows.add("span_id", this.spanIds);
    rows.add("parent_span_id", this.parentSpanIds);
    rows.add("trace_state", this.traceStates);
    rows.add("flags", this.flags);
    rows.add("name", this.names);
    rows.add("kind", this.kinds);
    rows.add("started_at", this.startedAt);
    rows.add("ended_at", this.endedAt);
    rows.add("status", this.statuses);
    rows.add("status_message", this.statusMessages);
    rows.add("dropped_attributes", this.droppedAttributes);
    rows.add("dropped_events", this.droppedEvents);
    rows.add("dropped_links", this.droppedLinks);
    rows.add("layer", this.layers);
    rows.add("team", this.teams);
    rows.add("model", this.models);
    rows.add("task", this.tasks);
    rows.add("run_id", this.runIds);
    rows.add("session_id", this.sessionIds);
    rows.add("may_be_call", this.mayBeCall);
    rows.add("of_replica", this.ofReplica);
    rows.add("content_hash", rows.contentHash);
  }

  startBody(_bytes: u32, _checksum: u32, isTrusted: boolean): void {
    this.isTrusted = isTrusted;
  }

  read(reader: Reader): u32 {
    this.begin();
    while (reader.more) this.readField(reader, reader.readTag());
    if (this.traceId === 0) refuseId(16, "traceId");
    if (this.spanId === 0) refuseId(8, "spanId");
    this.traceState.check("traceState");
    this.message.check("status.message");
    this.append(this.names.dictionary.intern(this.name.start, this.name.count, "name"));
    return 0;
  }

  private begin(): void {
    this.lifted.start();
    this.traceId = 0;
    this.spanId = 0;
    this.parentSpanId = 0;
    this.start = 0;
    this.end = 0;
    this.name.clear();
    this.traceState.clear();
    this.message.clear();
    this.kind = 0;
    this.status = 0;
    this.flagBits = 0;
    this.attributesLost = 0;
    this.eventsLost = 0;
    this.linksLost = 0;
  }

  private readField(reader: Reader, tag: u32): void {
    switch (tag) {
      case ATTRIBUTES:
        enterPath("attributes", this.attributes.count);
        this.lifted.note(readAttribute(reader, this.attributes));
        leavePath();
        return;
      case TRACE_ID:
        this.traceId = passOptionalId(reader, 16, "traceId");
        return;
      case SPAN_ID:
        this.spanId = passOptionalId(reader, 8, "spanId");
        return;
      case PARENT_SPAN_ID:
        this.parentSpanId = passOptionalId(reader, 8, "parentSpanId");
        return;
      case NAME:
        this.name.read(reader);
        return;
      case KIND:
        this.kind = reader.readInt32();
        return;
      case START:
        this.start = passInstant(reader, "startTimeUnixNano");
        return;
      case END:
        this.end = passInstant(reader, "endTimeUnixNano");
        return;
      case STATUS:
        this.readStatus(reader);
        return;
      case EVENTS:
        this.events.read(reader);
        return;
      case LINKS:
        this.links.read(reader);
        return;
      case TRACE_STATE:
        this.traceState.read(reader);
        return;
      case FLAGS:
        this.flagBits = load<u32>(reader.pass(4));
        return;
      case DROPPED_ATTRIBUTES:
        this.attributesLost = reader.readInt32();
        return;
      case DROPPED_EVENTS:
        this.eventsLost = reader.readInt32();
        return;
      case DROPPED_LINKS:
        this.linksLost = reader.readInt32();
        return;
      default:
        reader.skipUnknown(tag, SPAN_NAMES);
    }
  }

  private readStatus(reader: Reader): void {
    enterPath("status", -1);
    const outer = reader.enter();
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === STATUS_CODE) this.status = reader.readInt32();
      else if (tag === STATUS_MESSAGE) this.message.read(reader);
      else reader.skipUnknown(tag, STATUS_NAMES);
    }
    reader.leave(outer);
    leavePath();
  }

  private append(name: u32): void {
    this.trusted.sink.writeByte(u32(this.isTrusted));
    this.traceIds.appendHex(this.traceId, 16);
    this.spanIds.appendHex(this.spanId, 8);
    this.parentSpanIds.appendHex(this.parentSpanId, 8);
    this.traceStates.append(this.traceState.start, this.traceState.count);
    this.flags.sink.writeUint32(this.flagBits);
    this.names.appendIndex(name);
    appendEnum(this.kinds, SPAN_KINDS, this.kind);
    this.startedAt.appendEight(this.start);
    this.endedAt.appendEight(this.end);
    appendEnum(this.statuses, SPAN_STATUSES, this.status);
    this.statusMessages.append(this.message.start, this.message.count);
    this.droppedAttributes.sink.writeUint32(this.attributesLost);
    this.droppedEvents.sink.writeUint32(this.eventsLost);
    this.droppedLinks.sink.writeUint32(this.linksLost);
    this.lifted.appendLayer(this.layers);
    this.lifted.appendName(TEAM, this.teams);
    this.lifted.appendName(MODEL, this.models);
    this.lifted.appendText(TASK, this.tasks);
    this.lifted.appendText(RUN_ID, this.runIds);
    this.lifted.appendSession(this.sessionIds);
    this.mayBeCall.sink.writeByte(u32(this.lifted.mayBeCall()));
    const ofReplica = this.parentSpanId === 0 && isOneOf(REPLICA_SPANS, this.name.start, this.name.count);
    this.ofReplica.sink.writeByte(u32(ofReplica));
    // Last, because it may move the values that are lifted out.
    this.attributes.close();
    this.events.ends.close();
    this.links.ends.close();
  }
}
