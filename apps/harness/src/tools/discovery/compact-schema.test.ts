import fc from "fast-check";
import { expect, it } from "vitest";
import { isRecord, stableJson } from "../stable-json.ts";
import { compactSchema } from "./compact-schema.ts";

const text = (description: string) => ({ type: "string", description });

it("drops what only validators read, wherever it stands, and no parameter that is called so", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Arguments",
    type: "object",
    required: ["title"],
    properties: {
      title: { type: "string", title: "Title", default: "x", examples: ["y"], pattern: "^.$", description: "Heading." },
      kind: { const: "note", title: "Kind" },
      pattern: { anyOf: [{ type: "string", title: "A" }, { type: "null" }] },
    },
  };
  expect(compactSchema(schema)).toEqual({
    type: "object",
    required: ["title"],
    properties: {
      kind: { enum: ["note"] },
      pattern: { anyOf: [{ type: "string" }, { type: "null" }] },
      title: { type: "string", description: "Heading." },
    },
  });
});

it("keeps definitions that are reached, also through others and themselves", () => {
  const schema = {
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: {
      node: { properties: { next: { $ref: "#/$defs/node" }, leaf: { $ref: "#/$defs/leaf" } } },
      leaf: { type: "string" },
      unused: { type: "number" },
    },
  };
  expect(Object.keys(Object(compactSchema(schema).$defs))).toEqual(["leaf", "node"]);
});

it("gives up descriptions before structure, and deep structure before shallow", () => {
  const inner = { type: "object", properties: { a: text("x".repeat(80)), b: text("y".repeat(80)) } };
  const schema = { type: "object", properties: { path: text("z".repeat(80)), options: inner } };
  const bare = {
    type: "object",
    properties: {
      options: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
      path: { type: "string" },
    },
  };
  expect(compactSchema(schema, 500)).toEqual(schema);
  expect(compactSchema(schema, 250)).toEqual(bare);
  expect(compactSchema(schema, 120)).toEqual({
    type: "object",
    properties: { options: { type: "object" }, path: { type: "string" } },
  });
  expect(compactSchema(schema, 20)).toEqual({ type: "object" });
});

const leaf = fc.record({ type: fc.constantFrom("string", "number"), description: fc.string({ maxLength: 30 }) });
const schemas = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      type: fc.constant("object"),
      title: fc.string({ maxLength: 5 }),
      properties: fc.dictionary(fc.constantFrom("a", "b", "title", "enum"), tie("schema"), { maxKeys: 3 }),
    }),
  ),
})).schema;

function reverseMembers(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reverseMembers(inner)]),
  );
}

it("gives the same bytes however members were ordered, within the budget, and the same when done again", () => {
  fc.assert(
    fc.property(schemas, fc.integer({ min: 20, max: 600 }), (schema, budget) => {
      const compact = compactSchema({ ...schema }, budget);
      expect(Buffer.byteLength(JSON.stringify(compact))).toBeLessThanOrEqual(Math.max(budget, 17));
      const reversed = reverseMembers(schema);
      expect(stableJson(compactSchema(isRecord(reversed) ? reversed : {}, budget))).toBe(stableJson(compact));
      expect(compactSchema(compact, budget)).toEqual(compact);
    }),
  );
});
