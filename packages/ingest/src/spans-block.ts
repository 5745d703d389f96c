/**
 * OTLP traces in protobuf → rows of `spans`, in one pass over the bytes and without an object per span.
 * Field numbers: opentelemetry-proto v1.11, trace/v1/trace.proto.
 * Invariant: what is appended to a column before the span is known to be good can be cut off again; see RowWriter.
 */
import { SPAN_KINDS, SPAN_STATUSES } from "@centspan/model";
import { seenFrom } from "./admission.ts";
import { readAttribute } from "./attributes.ts";
import {
  appendEnum,
  appendId,
  appendInstant,
  appendName,
  appendText,
  readNested,
  readNestedAttribute,
} from "./fields.ts";
import { badId, NO_ID, passInstant, passOptionalId } from "./ids.ts";
import { classifyAttribute, LIFTED, LiftedValues } from "./lifted-values.ts";
import { AttributesColumn } from "./native/attributes-column.ts";
import { FixedColumn, ListColumn, TextColumn, TupleColumn } from "./native/column.ts";
import { NameColumn } from "./native/name-column.ts";
import type { SignalReader } from "./signal-reader.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

const SPAN = {
  traceId: tagOf(1, WIRE.bytes),
  spanId: tagOf(2, WIRE.bytes),
  traceState: tagOf(3, WIRE.bytes),
  parentSpanId: tagOf(4, WIRE.bytes),
  name: tagOf(5, WIRE.bytes),
  kind: tagOf(6, WIRE.varint),
  start: tagOf(7, WIRE.fixed64),
  end: tagOf(8, WIRE.fixed64),
  attributes: tagOf(9, WIRE.bytes),
  droppedAttributes: tagOf(10, WIRE.varint),
  events: tagOf(11, WIRE.bytes),
  droppedEvents: tagOf(12, WIRE.varint),
  links: tagOf(13, WIRE.bytes),
  droppedLinks: tagOf(14, WIRE.varint),
  status: tagOf(15, WIRE.bytes),
  flags: tagOf(16, WIRE.fixed32),
};
const SPAN_FIELDS = {
  1: "traceId",
  2: "spanId",
  3: "traceState",
  4: "parentSpanId",
  5: "name",
  6: "kind",
  7: "startTimeUnixNano",
  8: "endTimeUnixNano",
  9: "attributes",
  10: "droppedAttributesCount",
  11: "events",
  12: "droppedEventsCount",
  13: "links",
  14: "droppedLinksCount",
  15: "status",
  16: "flags",
};

/** An engine's steps and evictions serve many runs at once: they belong to a replica and are nobody's run. */
const REPLICA_SPANS: readonly string[] = ["inference.decode.step", "inference.kv.evict"];

/** What of a span stands in one place of its message: where it begins, or the number itself. */
class SpanFields {
  traceId = NO_ID;
  spanId = NO_ID;
  parentSpanId = NO_ID;
  traceStateStart = 0;
  traceStateEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  kind = 0;
  startedAt = NO_ID;
  endedAt = NO_ID;
  droppedAttributes = 0;
  droppedEvents = 0;
  droppedLinks = 0;
  flags = 0;
  statusCode = 0;
  messageStart = 0;
  messageEnd = 0;
  attributes = 0;
}

export function createSpanReader(): SignalReader {
  const eventNames = new NameColumn();
  const events = {
    at: new FixedColumn(8),
    name: eventNames,
    attributes: new AttributesColumn(),
  };
  const links = { traceId: new TextColumn(), spanId: new TextColumn(), attributes: new AttributesColumn() };
  const columns = {
    trace_id: new TextColumn(),
    span_id: new TextColumn(),
    parent_span_id: new TextColumn(),
    trace_state: new TextColumn(),
    flags: new FixedColumn(4),
    name: new NameColumn((name) => Number(REPLICA_SPANS.includes(name))),
    kind: new NameColumn(),
    started_at: new FixedColumn(8),
    ended_at: new FixedColumn(8),
    status: new NameColumn(),
    status_message: new TextColumn(),
    attributes: new AttributesColumn(classifyAttribute),
    events: new ListColumn(new TupleColumn(events)),
    links: new ListColumn(new TupleColumn(links)),
    dropped_attributes: new FixedColumn(4),
    dropped_events: new FixedColumn(4),
    dropped_links: new FixedColumn(4),
    layer: new NameColumn(),
    team: new NameColumn(),
    model: new NameColumn(),
    task: new TextColumn(),
    run_id: new TextColumn(),
    session_id: new TextColumn(),
    may_be_call: new FixedColumn(1),
    of_replica: new FixedColumn(1),
  };
  const lifted = new LiftedValues(columns.attributes);
  let fields = new SpanFields();

  function readSpan(reader: WireReader): void {
    fields = new SpanFields();
    lifted.start();
    while (reader.more) readField(reader, reader.readTag());
    if (fields.traceId === NO_ID) throw badId(16, "traceId");
    if (fields.spanId === NO_ID) throw badId(8, "spanId");
    append(reader);
  }

  function readField(reader: WireReader, tag: number): void {
    switch (tag) {
      case SPAN.attributes:
        try {
          lifted.note(readAttribute(reader, columns.attributes));
          fields.attributes += 1;
        } catch (thrown) {
          throw seenFrom(`attributes[${fields.attributes}]`, thrown);
        }
        return;
      case SPAN.traceId:
        fields.traceId = passOptionalId(reader, 16, "traceId");
        return;
      case SPAN.spanId:
        fields.spanId = passOptionalId(reader, 8, "spanId");
        return;
      case SPAN.parentSpanId:
        fields.parentSpanId = passOptionalId(reader, 8, "parentSpanId");
        return;
      case SPAN.name:
        fields.nameStart = reader.passBytes();
        fields.nameEnd = reader.at;
        return;
      case SPAN.kind:
        fields.kind = reader.readInt32();
        return;
      case SPAN.start:
        fields.startedAt = passInstant(reader, "startTimeUnixNano");
        return;
      case SPAN.end:
        fields.endedAt = passInstant(reader, "endTimeUnixNano");
        return;
      case SPAN.status:
        readStatus(reader);
        return;
      case SPAN.events:
        readNested(reader, "events", columns.events.item.rows - columns.events.startOf(columns.events.rows), readEvent);
        return;
      case SPAN.links:
        readNested(reader, "links", columns.links.item.rows - columns.links.startOf(columns.links.rows), readLink);
        return;
      default:
        readRareField(reader, tag);
    }
  }

  function readRareField(reader: WireReader, tag: number): void {
    switch (tag) {
      case SPAN.traceState:
        fields.traceStateStart = reader.passBytes();
        fields.traceStateEnd = reader.at;
        return;
      case SPAN.flags:
        fields.flags = reader.view.getUint32(reader.pass(4), true);
        return;
      case SPAN.droppedAttributes:
        fields.droppedAttributes = reader.readInt32();
        return;
      case SPAN.droppedEvents:
        fields.droppedEvents = reader.readInt32();
        return;
      case SPAN.droppedLinks:
        fields.droppedLinks = reader.readInt32();
        return;
      default:
        skipUnknown(reader, tag, SPAN_FIELDS);
    }
  }

  function readStatus(reader: WireReader): void {
    try {
      const outer = reader.enter();
      while (reader.more) {
        const tag = reader.readTag();
        if (tag === STATUS_CODE) fields.statusCode = reader.readInt32();
        else if (tag === STATUS_MESSAGE) {
          fields.messageStart = reader.passBytes();
          fields.messageEnd = reader.at;
        } else skipUnknown(reader, tag, { 2: "message", 3: "code" });
      }
      reader.leave(outer);
    } catch (thrown) {
      throw seenFrom("status", thrown);
    }
  }

  function readEvent(reader: WireReader): void {
    let at = NO_ID;
    let nameStart = 0;
    let nameEnd = 0;
    let attributes = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === EVENT_TIME) at = passInstant(reader, "timeUnixNano");
      else if (tag === EVENT_NAME) {
        nameStart = reader.passBytes();
        nameEnd = reader.at;
      } else if (tag === EVENT_ATTRIBUTES) readNestedAttribute(reader, events.attributes, attributes++);
      else skipUnknown(reader, tag, { 1: "timeUnixNano", 2: "name", 3: "attributes" });
    }
    appendInstant(events.at, reader, at);
    appendName(events.name, reader, nameStart, nameEnd, "name");
    events.attributes.close();
  }

  function readLink(reader: WireReader): void {
    let traceId = NO_ID;
    let spanId = NO_ID;
    let attributes = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === SPAN.traceId) traceId = passOptionalId(reader, 16, "traceId");
      else if (tag === SPAN.spanId) spanId = passOptionalId(reader, 8, "spanId");
      else if (tag === LINK_ATTRIBUTES) readNestedAttribute(reader, links.attributes, attributes++);
      else skipUnknown(reader, tag, { 1: "traceId", 2: "spanId", 4: "attributes" });
    }
    appendId(links.traceId, reader, traceId, 16);
    appendId(links.spanId, reader, spanId, 8);
    links.attributes.close();
  }

  function append(reader: WireReader): void {
    columns.trace_id.appendHex(reader, fields.traceId, 16);
    columns.span_id.appendHex(reader, fields.spanId, 8);
    appendId(columns.parent_span_id, reader, fields.parentSpanId, 8);
    appendText(columns.trace_state, reader, fields.traceStateStart, fields.traceStateEnd, "traceState");
    columns.flags.appendUint32(fields.flags);
    const name = appendName(columns.name, reader, fields.nameStart, fields.nameEnd, "name");
    appendEnum(columns.kind, SPAN_KINDS, fields.kind);
    appendInstant(columns.started_at, reader, fields.startedAt);
    appendInstant(columns.ended_at, reader, fields.endedAt);
    appendEnum(columns.status, SPAN_STATUSES, fields.statusCode);
    appendText(columns.status_message, reader, fields.messageStart, fields.messageEnd, "status.message");
    columns.dropped_attributes.appendUint32(fields.droppedAttributes);
    columns.dropped_events.appendUint32(fields.droppedEvents);
    columns.dropped_links.appendUint32(fields.droppedLinks);
    lifted.appendLayer(columns.layer);
    lifted.appendName(LIFTED.team, columns.team);
    lifted.appendName(LIFTED.model, columns.model);
    lifted.appendText(LIFTED.task, columns.task);
    lifted.appendText(LIFTED.runId, columns.run_id);
    lifted.appendSession(columns.session_id);
    columns.may_be_call.appendByte(Number(lifted.mayBeCall()));
    const ofReplica = fields.parentSpanId === NO_ID && columns.name.dictionary.classOf(name) === 1;
    columns.of_replica.appendByte(Number(ofReplica));
    columns.attributes.close();
    columns.events.close();
    columns.links.close();
  }

  return {
    columns,
    open: (rows) => ({
      startBody: () => undefined,
      readRecord: (reader, list, index) => rows.attempt(reader, list, index, readSpan),
    }),
  };
}

const STATUS_MESSAGE = tagOf(2, WIRE.bytes);
const STATUS_CODE = tagOf(3, WIRE.varint);
const EVENT_TIME = tagOf(1, WIRE.fixed64);
const EVENT_NAME = tagOf(2, WIRE.bytes);
const EVENT_ATTRIBUTES = tagOf(3, WIRE.bytes);
const LINK_ATTRIBUTES = tagOf(4, WIRE.bytes);
