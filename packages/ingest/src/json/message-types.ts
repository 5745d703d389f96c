/**
 * The message table made ready for writing: fields by their names in JSON (lowerCamel and the original snake_case),
 * with their tags and writers. Resolved once at load; a name that no table holds is a bug and fails there.
 */
import { assert } from "@centspan/base";
import { ENUMS, type FieldRow, GROUPS, MESSAGES, RECORDS } from "./messages.ts";
import { WIRE } from "./protobuf-writer.ts";
import { createEnum, SCALARS, type Scalar } from "./scalars.ts";

export type MessageType = {
  name: string;
  fields: ReadonlyMap<string, FieldType>;
  isRecord: boolean;
  isGroup: boolean;
};

export type FieldType = {
  name: string;
  tag: number;
  repeated: boolean;
  /** Numbers in a list share one tag. */
  packed: boolean;
  /** This field's bit, and the bits of all that may not stand beside it: itself and the members of its oneof. */
  bit: number;
  rivals: number;
  /** Whether spans, log records or data points are inside. */
  holdsRecords: boolean;
  type: Scalar | MessageType;
};

const ENUM_TYPES = new Map(Object.entries(ENUMS).map(([name, row]) => [name, createEnum(row)]));
const MESSAGE_TYPES = new Map<string, MessageType>();

export const isMessage = (type: Scalar | MessageType): type is MessageType => "fields" in type;

/** The message of that name, with all those inside it. */
export function messageType(name: string): MessageType {
  const known = MESSAGE_TYPES.get(name);
  if (known) return known;
  const rows = MESSAGES[name];
  assert(rows, `the message ${name} is in the table`);
  const fields = new Map<string, FieldType>();
  const type = { name, fields, isRecord: RECORDS.has(name), isGroup: GROUPS.has(name) };
  // Before its fields are resolved, because values hold values.
  MESSAGE_TYPES.set(name, type);
  const entries = Object.entries(rows);
  entries.forEach(([fieldName, row], index) => {
    const field = createField(fieldName, row, index, entries);
    fields.set(fieldName, field).set(toSnakeCase(fieldName), field);
  });
  return type;
}

function createField(
  name: string,
  [number, typeName, oneof]: FieldRow,
  index: number,
  siblings: readonly [string, FieldRow][],
): FieldType {
  const repeated = typeName.endsWith("*");
  const element = repeated ? typeName.slice(0, -1) : typeName;
  const type = SCALARS[element] ?? ENUM_TYPES.get(element) ?? messageType(element);
  const wire = isMessage(type) ? WIRE.bytes : type.wire;
  const packed = repeated && wire !== WIRE.bytes;
  const bit = 1 << index;
  const rivals = siblings.reduce((bits, [, row], i) => (oneof && row[2] === oneof ? bits | (1 << i) : bits), bit);
  const holdsRecords = isMessage(type) && (type.isRecord || [...type.fields.values()].some((one) => one.holdsRecords));
  return { name, tag: number * 8 + (packed ? WIRE.bytes : wire), repeated, packed, bit, rivals, holdsRecords, type };
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
