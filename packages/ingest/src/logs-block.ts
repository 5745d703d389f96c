/**
 * OTLP logs in protobuf → rows of `logs`, in one pass over the bytes and without an object per record.
 * Field numbers: opentelemetry-proto v1.11, logs/v1/logs.proto.
 * A record has no id of its own. Its identity is the request (length and CRC-32 of its body) and its place in it, so
 * that an exact retry of the request is recognised. It needs no trace and no span, but an id that is there is whole.
 */
import { crc32 } from "node:zlib";
import { seenFrom } from "./admission.ts";
import { readAttribute, readValue } from "./attributes.ts";
import { appendId, appendInstant, appendName } from "./fields.ts";
import { NO_ID, passInstant, passOptionalId } from "./ids.ts";
import { classifyAttribute, LIFTED, LiftedValues } from "./lifted-values.ts";
import { AttributesColumn } from "./native/attributes-column.ts";
import { FixedColumn, TextColumn } from "./native/column.ts";
import { NameColumn } from "./native/name-column.ts";
import type { SignalReader } from "./signal-reader.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

const LOG = {
  time: tagOf(1, WIRE.fixed64),
  severityNumber: tagOf(2, WIRE.varint),
  severityText: tagOf(3, WIRE.bytes),
  body: tagOf(5, WIRE.bytes),
  attributes: tagOf(6, WIRE.bytes),
  droppedAttributes: tagOf(7, WIRE.varint),
  flags: tagOf(8, WIRE.fixed32),
  traceId: tagOf(9, WIRE.bytes),
  spanId: tagOf(10, WIRE.bytes),
  observedTime: tagOf(11, WIRE.fixed64),
  eventName: tagOf(12, WIRE.bytes),
};
const LOG_FIELDS = {
  1: "timeUnixNano",
  2: "severityNumber",
  3: "severityText",
  5: "body",
  6: "attributes",
  7: "droppedAttributesCount",
  8: "flags",
  9: "traceId",
  10: "spanId",
  11: "observedTimeUnixNano",
  12: "eventName",
};

/** SEVERITY_NUMBER_FATAL4; enums are open, and numbers that this version doesn't define are "not specified". */
const MAX_SEVERITY = 24;

/** Where the fields of a record stand in its message, or the number itself. */
class LogFields {
  time = NO_ID;
  observedTime = NO_ID;
  traceId = NO_ID;
  spanId = NO_ID;
  severityNumber = 0;
  severityTextStart = 0;
  severityTextEnd = 0;
  eventNameStart = 0;
  eventNameEnd = 0;
  droppedAttributes = 0;
  flags = 0;
  attributes = 0;
}

export function createLogReader(): SignalReader {
  const columns = {
    at: new FixedColumn(8),
    observed_at: new FixedColumn(8),
    trace_id: new TextColumn(),
    span_id: new TextColumn(),
    severity_number: new FixedColumn(1),
    severity_text: new NameColumn(),
    event_name: new NameColumn(),
    body: new TextColumn(),
    attributes: new AttributesColumn(classifyAttribute),
    flags: new FixedColumn(4),
    dropped_attributes: new FixedColumn(4),
    session_id: new TextColumn(),
    may_be_call: new FixedColumn(1),
    request_hash: new FixedColumn(8),
    position: new FixedColumn(4),
  };
  const lifted = new LiftedValues(columns.attributes);
  let fields = new LogFields();
  let requestCrc = 0;
  let requestBytes = 0;
  let position = 0;

  function readLog(reader: WireReader): void {
    fields = new LogFields();
    lifted.start();
    const row = columns.body.rows;
    while (reader.more) readField(reader, reader.readTag(), row);
    if (columns.body.rows === row) columns.body.appendEmpty();
    append(reader);
  }

  function readField(reader: WireReader, tag: number, row: number): void {
    switch (tag) {
      case LOG.attributes:
        try {
          lifted.note(readAttribute(reader, columns.attributes));
          fields.attributes += 1;
        } catch (thrown) {
          throw seenFrom(`attributes[${fields.attributes}]`, thrown);
        }
        return;
      case LOG.body:
        // A field that comes twice counts as it came last.
        if (columns.body.rows > row) columns.body.truncate(row);
        readValue(reader, columns.body, "body");
        return;
      case LOG.time:
        fields.time = passInstant(reader, "timeUnixNano");
        return;
      case LOG.observedTime:
        fields.observedTime = passInstant(reader, "observedTimeUnixNano");
        return;
      case LOG.traceId:
        fields.traceId = passOptionalId(reader, 16, "traceId");
        return;
      case LOG.spanId:
        fields.spanId = passOptionalId(reader, 8, "spanId");
        return;
      default:
        readRareField(reader, tag);
    }
  }

  function readRareField(reader: WireReader, tag: number): void {
    switch (tag) {
      case LOG.severityNumber:
        fields.severityNumber = reader.readInt32();
        return;
      case LOG.severityText:
        fields.severityTextStart = reader.passBytes();
        fields.severityTextEnd = reader.at;
        return;
      case LOG.eventName:
        fields.eventNameStart = reader.passBytes();
        fields.eventNameEnd = reader.at;
        return;
      case LOG.flags:
        fields.flags = reader.view.getUint32(reader.pass(4), true);
        return;
      case LOG.droppedAttributes:
        fields.droppedAttributes = reader.readInt32();
        return;
      default:
        skipUnknown(reader, tag, LOG_FIELDS);
    }
  }

  function append(reader: WireReader): void {
    const { time, observedTime, severityNumber } = fields;
    appendInstant(columns.at, reader, isZero(reader, time) ? observedTime : time);
    appendInstant(columns.observed_at, reader, observedTime);
    appendId(columns.trace_id, reader, fields.traceId, 16);
    appendId(columns.span_id, reader, fields.spanId, 8);
    columns.severity_number.appendByte(severityNumber >= 0 && severityNumber <= MAX_SEVERITY ? severityNumber : 0);
    appendName(columns.severity_text, reader, fields.severityTextStart, fields.severityTextEnd, "severityText");
    if (fields.eventNameStart === fields.eventNameEnd) lifted.appendName(LIFTED.eventName, columns.event_name);
    else appendName(columns.event_name, reader, fields.eventNameStart, fields.eventNameEnd, "eventName");
    columns.flags.appendUint32(fields.flags);
    columns.dropped_attributes.appendUint32(fields.droppedAttributes);
    lifted.appendSession(columns.session_id);
    columns.may_be_call.appendByte(Number(lifted.mayBeCall()));
    // One UInt64: the length above, the checksum below.
    columns.request_hash.appendUint32(requestCrc);
    columns.request_hash.appendUint32(requestBytes);
    columns.position.appendUint32(position);
    columns.attributes.close();
  }

  return {
    columns,
    open: (rows) => ({
      startBody(body) {
        requestCrc = crc32(body);
        requestBytes = body.length;
        position = 0;
      },
      readRecord(reader, list, index) {
        rows.attempt(reader, list, index, readLog);
        position += 1;
      },
    }),
  };
}

/** Whether the eight bytes there are 0; an absent field is. */
const isZero = ({ view }: WireReader, start: number): boolean =>
  start === NO_ID || (view.getUint32(start, true) === 0 && view.getUint32(start + 4, true) === 0);
