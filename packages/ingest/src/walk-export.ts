/**
 * The envelope that all signals share: Export…Request → resources → scopes → records.
 * A resource may follow its records on the wire, so it is looked for first; repeats are merged. Likewise a scope.
 */
import type { Signal } from "@centspan/model";
import { BadBody, BadValue, seenFrom } from "./admission.ts";
import { readAttribute } from "./attributes.ts";
import type { NameColumn } from "./native/name-column.ts";
import type { RowWriter } from "./row-writer.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

const NAMES = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
} as const satisfies Record<Signal, readonly [string, string, string]>;

/** Field 1 of both envelopes is what the records share, field 2 the list. */
const SHARED = tagOf(1, WIRE.bytes);
const LIST = tagOf(2, WIRE.bytes);

/** Reads the record at the position; `index` is its place in its list. */
export type RecordReader = (reader: WireReader, list: string, index: number) => void;

export function walkExport(reader: WireReader, signal: Signal, rows: RowWriter, readRecord: RecordReader): void {
  const [resources, scopes, records] = NAMES[signal];
  let index = 0;
  try {
    while (reader.more) {
      const tag = reader.readTag();
      if (tag !== SHARED) {
        skipUnknown(reader, tag, { 1: resources });
        continue;
      }
      const path = `${resources}[${index++}]`;
      descend(reader, path, () => {
        readResource(reader, path, rows);
        const shared = rows.problem;
        let scopeIndex = 0;
        eachMessage(reader, LIST, { 1: "resource", 2: scopes }, () => {
          const scopePath = `${scopes}[${scopeIndex++}]`;
          descend(reader, scopePath, () => {
            rows.problem = shared;
            readScope(reader, `${path}.${scopePath}`, rows);
            rows.prefix = `${path}.${scopePath}.`;
            let recordIndex = 0;
            eachMessage(reader, LIST, { 1: "scope", 2: records }, () => {
              readRecord(reader, records, recordIndex++);
            });
          });
        });
        // Attributes of a resource that no row took.
        if (rows.resourceRow < 0) rows.resourceAttributes.truncate(rows.rows);
      });
    }
  } catch (thrown) {
    if (thrown instanceof BadValue) throw new BadBody(thrown.path, thrown.message);
    throw thrown;
  }
}

/** Reads the message at the position; complaints get its path. */
function descend(reader: WireReader, path: string, read: () => void): void {
  try {
    const outer = reader.enter();
    read();
    reader.leave(outer);
  } catch (thrown) {
    throw seenFrom(path, thrown);
  }
}

/** Calls `read` at each field with that tag. What records share and their list are read each in a pass of its own. */
function eachMessage(
  reader: WireReader,
  wanted: number,
  fields: Readonly<Record<number, string>>,
  read: () => void,
): void {
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === wanted) read();
    else if (tag === SHARED || tag === LIST) reader.skip(tag);
    else skipUnknown(reader, tag, fields);
  }
}

/** Looks through the whole envelope for what its records share, and comes back to its beginning. */
function readShared(reader: WireReader, path: string, rows: RowWriter, read: () => void): void {
  const start = reader.at;
  try {
    eachMessage(reader, SHARED, {}, () => {
      const outer = reader.enter();
      const { end } = reader;
      try {
        read();
      } catch (thrown) {
        const problem = seenFrom(path, thrown);
        if (!(problem instanceof BadValue)) throw thrown;
        rows.problem ??= problem;
        reader.end = end;
      }
      reader.leave(outer);
    });
  } finally {
    reader.at = start;
  }
}

const RESOURCE_ATTRIBUTES = tagOf(1, WIRE.bytes);

function readResource(reader: WireReader, path: string, rows: RowWriter): void {
  rows.problem = null;
  rows.resourceRow = -1;
  rows.serviceIndex = 0;
  let index = 0;
  const { resourceAttributes } = rows;
  readShared(reader, `${path}.resource`, rows, () => {
    while (reader.more) {
      const tag = reader.readTag();
      if (tag !== RESOURCE_ATTRIBUTES) {
        skipUnknown(reader, tag, { 1: "attributes" });
        continue;
      }
      try {
        const keyClass = readAttribute(reader, resourceAttributes);
        if (rows.isServiceName(keyClass)) {
          const values = resourceAttributes.value;
          const row = values.rows - 1;
          rows.serviceIndex = rows.service.dictionary.intern(values.sink, values.startOf(row), values.endOf(row));
        }
        index += 1;
      } catch (thrown) {
        throw seenFrom(`attributes[${index}]`, thrown);
      }
    }
  });
  if (rows.problem !== null) resourceAttributes.truncate(rows.rows);
}

const SCOPE_NAME = tagOf(1, WIRE.bytes);
const SCOPE_VERSION = tagOf(2, WIRE.bytes);

function readScope(reader: WireReader, path: string, rows: RowWriter): void {
  rows.scopeNameIndex = 0;
  rows.scopeVersionIndex = 0;
  readShared(reader, `${path}.scope`, rows, () => {
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === SCOPE_NAME) rows.scopeNameIndex = internNamed(reader, rows.scopeName, "name");
      else if (tag === SCOPE_VERSION) rows.scopeVersionIndex = internNamed(reader, rows.scopeVersion, "version");
      else skipUnknown(reader, tag, { 1: "name", 2: "version" });
    }
  });
}

function internNamed(reader: WireReader, column: NameColumn, name: string): number {
  try {
    const start = reader.passBytes();
    return column.dictionary.intern(reader, start, reader.at);
  } catch (thrown) {
    throw seenFrom(name, thrown);
  }
}
