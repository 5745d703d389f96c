import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMembers } from "./add-members.ts";

describe("addMembers", () => {
  it("gives the same object as setting members does, and keeps the bytes before them", () => {
    const body = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    const space = fc.constantFrom("", " ", "\n\t");
    fc.assert(
      fc.property(body, fc.dictionary(fc.string(), fc.jsonValue()), space, (object, additions, around) => {
        const text = `${around}${JSON.stringify(object, null, around)}${around}`;
        const json = JSON.parse(text);
        const result = addMembers(Buffer.from(text), json, additions).toString();
        expect(JSON.parse(result)).toEqual({ ...json, ...JSON.parse(JSON.stringify(additions)) });
        const isNew = Object.keys(additions).every((name) => !Object.hasOwn(json, name));
        if (isNew) expect(result.startsWith(text.slice(0, text.lastIndexOf("}")))).toBe(true);
      }),
    );
  });

  it("keeps digits that JavaScript's numbers don't have", () => {
    const text = '{"seed": 12345678901234567890}';
    expect(addMembers(Buffer.from(text), JSON.parse(text), { a: 1 }).toString()).toBe(
      '{"seed": 12345678901234567890,"a":1}',
    );
    const both = '{"seed": 12345678901234567890, "model": "a"}';
    expect(addMembers(Buffer.from(both), JSON.parse(both), { model: "b" }).toString()).toBe(
      '{"seed":12345678901234567890,"model":"b"}',
    );
  });
});
