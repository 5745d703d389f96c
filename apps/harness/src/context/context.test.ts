import fc from "fast-check";
import { expect, it } from "vitest";
import { type ContextPiece, createContextLog, type Prompt, SECTIONS } from "./context-log.ts";
import { comparePrefix, findDifference } from "./prefix.ts";

const item = fc.record({
  type: fc.constantFrom("message", "function_call", "function_call_output", "reasoning"),
  text: fc.string({ unit: "grapheme" }),
});
const settings = { model: "m", instructions: 'Say "hi"\n', promptCacheKey: "r" };
const tools = ['{"name":"b"}', '{"name":"a"}'];
const bodyOf = ({ head, items }: Prompt): string => `{${head},"input":[${items.join(",")}]}`;

it("keeps every body a byte prefix of the next one, and each of them valid JSON with the items unchanged", () => {
  fc.assert(
    fc.property(fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }), (turns) => {
      const log = createContextLog(settings);
      const appended: unknown[] = [];
      let before = "";
      for (const items of turns) {
        for (const next of items) log.append(next);
        appended.push(...items);
        const body = bodyOf(log.snapshot(tools));
        const open = body.slice(0, -2);
        expect(open.startsWith(before)).toBe(true);
        expect(JSON.parse(body)).toMatchObject({
          ...{ model: "m", instructions: settings.instructions },
          input: appended,
        });
        expect(JSON.parse(body).tools).toEqual([{ name: "b" }, { name: "a" }]);
        before = open;
      }
    }),
  );
});

it("is not changed by what happens to an item after it was appended", () => {
  const log = createContextLog(settings);
  const mutable = { type: "message", text: "before" };
  log.append(mutable);
  const before = log.snapshot(tools);
  mutable.text = "after";
  expect(log.snapshot(tools)).toEqual(before);
});

it("fingerprints the same context the same and another one differently, whatever the run is called", () => {
  const fingerprint = (texts: string[], promptCacheKey: string) => {
    const log = createContextLog({ ...settings, promptCacheKey });
    for (const text of texts) log.append({ type: text });
    return log.snapshot(tools).fingerprint;
  };
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), fc.array(fc.string(), { maxLength: 5 }), (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      expect(fingerprint(a, "run_1") === fingerprint(b, "run_2")).toBe(same);
    }),
  );
});

it("fingerprints each section by itself", () => {
  const log = createContextLog(settings);
  const { fingerprints: before } = log.snapshot(tools);
  const changed = (to: readonly string[]) => {
    const { fingerprints } = log.snapshot(to);
    return SECTIONS.filter((section) => fingerprints[section] !== before[section]);
  };
  expect(changed(tools)).toEqual([]);
  expect(changed(tools.toReversed())).toEqual(["tools"]);
  log.append({ type: "message" });
  expect(changed(tools)).toEqual(["history"]);
  log.append({ type: "function_call_output" });
  expect(changed(tools)).toEqual(["history", "results"]);
});

it("counts tokens by section as a quarter of the bytes, rounded up", () => {
  const log = createContextLog(settings);
  log.append({ type: "message" });
  const result = { type: "function_call_output", output: "한".repeat(100) };
  log.append(result);
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  expect(log.snapshot(tools).tokens).toEqual({
    system: Math.ceil(bytes(settings.instructions) / 4),
    tools: Math.ceil((bytes({ name: "b" }) + bytes({ name: "a" })) / 4),
    history: Math.ceil(bytes({ type: "message" }) / 4),
    results: Math.ceil(bytes(result) / 4),
  });
});

const piece = fc.record<ContextPiece>({
  section: fc.constantFrom("system", "tools", "history", "results"),
  path: fc.constant(""),
  json: fc.constantFrom("1", '{"a":1}'),
});
const numbered = (pieces: ContextPiece[]) => pieces.map((p, index) => ({ ...p, path: `[${index}]` }));

it("finds the first divergence as comparing whole serializations does", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.array(piece, { maxLength: 6 }), (a, b) => {
      const [before, now] = [numbered(a), numbered(b)];
      const text = (pieces: ContextPiece[], count: number) => JSON.stringify(pieces.slice(0, count));
      let common = 0;
      while (common < before.length && common < now.length && text(before, common + 1) === text(now, common + 1))
        common++;
      const result = comparePrefix(before, now);
      expect(result.kept).toBe(common === before.length);
      expect(result.appended).toBe(now.length - common);
      if (!result.kept) expect(result.path).toBe(`[${common}]`);
    }),
  );
});

it("names the JSON path of the first difference", () => {
  const schema = (change: object) => ({
    name: "t",
    parameters: { properties: { path: { type: "string" }, ...change } },
  });
  expect(findDifference(schema({}), schema({}))).toBe("");
  expect(findDifference(schema({}), schema({ path: { type: "number" } }))).toBe(".parameters.properties.path.type");
  expect(findDifference(schema({}), schema({ "a b": 1 }))).toBe('.parameters.properties["a b"]');
  expect(findDifference({ a: [1], b: 2 }, { b: 2, a: [1] })).toBe(".a");
  expect(findDifference({ a: [1, [2]] }, { a: [1, [2, 3]] })).toBe(".a[1][1]");
  const log = createContextLog(settings);
  log.append({ type: "message" });
  const before = log.snapshot(tools);
  const now = log.snapshot(['{"name":"b"}', '{"name":"a","strict":false}']);
  expect(comparePrefix(before.pieces, now.pieces)).toMatchObject({ section: "tools", path: "tools[1].strict" });
});
