/**
 * For tests only: random messages of a protobufjs type, each twice: as protobufjs takes it, and as OTLP's JSON writes it
 * in one of the ways that emitters do (names in either spelling, integers as numbers or text, enums as numbers or
 * names, ids in either case, both base64 alphabets).
 */
import fc from "fast-check";
import protobuf from "protobufjs";

type Pair = { plain: unknown; json: unknown };
type Message = { plain: Record<string, unknown>; json: Record<string, unknown> };

const ID_BYTES: Partial<Record<string, number>> = { traceId: 16, spanId: 8, parentSpanId: 8 };

/** JSON.stringify has no exact 64-bit integers: they are marked text, and the marks are taken off afterwards. */
const NUMBER_MARK = "@exact:";
export const writeJson = (json: unknown): string =>
  JSON.stringify(json).replaceAll(new RegExp(`"${NUMBER_MARK}(-?\\d+)"`, "g"), "$1");

const integer = (min: bigint, max: bigint): fc.Arbitrary<Pair> =>
  fc
    .tuple(fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n)), fc.boolean())
    .map(([value, quoted]) => ({ plain: String(value), json: quoted ? String(value) : `${NUMBER_MARK}${value}` }));

const double = fc
  .double()
  .map((value) => (Object.is(value, -0) ? 0 : value))
  .map((value) => ({ plain: value, json: Number.isFinite(value) ? value : String(value) }));

const bytes = (exactly: number | undefined): fc.Arbitrary<Pair> =>
  fc
    .tuple(
      exactly ? fc.uint8Array({ minLength: exactly, maxLength: exactly }) : fc.uint8Array({ maxLength: 9 }),
      fc.boolean(),
    )
    .map(([value, flag]) => {
      const buffer = Buffer.from(value);
      if (!exactly) return { plain: buffer, json: buffer.toString(flag ? "base64" : "base64url") };
      return { plain: buffer, json: flag ? buffer.toString("hex") : buffer.toString("hex").toUpperCase() };
    });

const same = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Pair> =>
  arbitrary.map((value) => ({ plain: value, json: value }));

const text = fc.string({ unit: "grapheme", maxLength: 6 });
/** Keys of attributes are often those that something is read from, and sometimes twice in a row. */
const key = fc.oneof(
  text,
  fc.constantFrom("service.name", "session.id", "gen_ai.conversation.id", "thread.id", "event.name"),
  fc.constantFrom("centspan.layer", "centspan.team.id", "centspan.task.id", "centspan.run.id", "gen_ai.request.model"),
  fc.constantFrom("gen_ai.usage.input_tokens", "gen_ai.operation.name", "openinference.span.kind", "__proto__"),
);

/** Names and values of attributes that something is told by. */
const word = fc.oneof(text, fc.constantFrom("harness", "execute_tool", "LLM", "inference.decode.step", "42"));

const SCALARS: Record<string, (field: protobuf.Field) => fc.Arbitrary<Pair>> = {
  string: (field) => same(field.name === "key" ? key : word),
  bool: () => same(fc.boolean()),
  double: () => double,
  bytes: (field) => bytes(ID_BYTES[field.name]),
  int32: () => integer(-(2n ** 31n), 2n ** 31n - 1n),
  sint32: () => integer(-(2n ** 31n), 2n ** 31n - 1n),
  uint32: () => integer(0n, 2n ** 32n - 1n),
  fixed32: () => integer(0n, 2n ** 32n - 1n),
  int64: () => integer(-(2n ** 63n), 2n ** 63n - 1n),
  sfixed64: () => integer(-(2n ** 63n), 2n ** 63n - 1n),
  uint64: () => integer(0n, 2n ** 64n - 1n),
  fixed64: () => integer(0n, 2n ** 64n - 1n),
};

function arbitraryValue(field: protobuf.Field, depth: number): fc.Arbitrary<Pair> {
  const type = field.resolve().resolvedType;
  if (type instanceof protobuf.Enum) {
    const names = Object.entries(type.values);
    return fc
      .tuple(fc.constantFrom(...names), fc.boolean())
      .map(([[name, number], named]) => ({ plain: number, json: named ? name : number }));
  }
  if (type instanceof protobuf.Type) return arbitraryMessage(type, depth - 1);
  const scalar = SCALARS[field.type];
  if (!scalar) throw new Error(`no arbitrary for ${field.type}`);
  return scalar(field);
}

function arbitraryField(field: protobuf.Field, depth: number): fc.Arbitrary<Pair | null> {
  const value = arbitraryValue(field, depth);
  if (!field.repeated) return fc.option(value, { freq: 3 });
  return fc
    .array(value, { maxLength: 2 })
    .map((items) => ({ plain: items.map((item) => item.plain), json: items.map((item) => item.json) }));
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `depth`: levels of messages; below it they are empty. */
export function arbitraryMessage(type: protobuf.Type, depth: number): fc.Arbitrary<Message> {
  if (depth <= 0) return fc.constant({ plain: {}, json: {} });
  const fields = fc.tuple(...type.fieldsArray.map((field) => arbitraryField(field, depth)));
  return fc.tuple(fields, fc.boolean(), fc.nat(20)).map(([values, snake, choice]) => {
    const message: Message = { plain: {}, json: {} };
    type.fieldsArray.forEach((field, i) => {
      const value = values[i];
      const members = field.partOf && !field.options?.proto3_optional ? field.partOf.fieldsArray : [field];
      // Of a oneof, one member at most.
      if (!value || members[choice % members.length] !== field) return;
      message.plain[field.name] = value.plain;
      message.json[snake ? toSnakeCase(field.name) : field.name] = value.json;
    });
    return message;
  });
}
