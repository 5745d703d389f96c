import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePrompts } from "./compare-prompts.ts";
import { findFirstDifference } from "./find-first-difference.ts";

describe("the first difference of two values", () => {
  it.each<[before: unknown, after: unknown, found: object | null]>([
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "x" }] }, null],
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, { path: "a[1].b", before: "x", after: "y" }],
    [[1, 2], [1], { path: "[1]", before: 2, after: undefined }],
    [[1], [1, 2], { path: "[1]", before: undefined, after: 2 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { path: "a", before: 1, after: undefined },
    ],
    [{ a: 1 }, { a: 1, b: 2 }, { path: "b", before: undefined, after: 2 }],
    [{}, { "": false }, { path: "", before: undefined, after: false }],
    [{ a: [] }, { a: {} }, { path: "a" }],
    [null, {}, { path: "", before: null, after: {} }],
    ["x", "x", null],
  ])("%j and %j", (before, after, found) => {
    const difference = findFirstDifference(before, after);
    if (found === null) expect(difference).toBeNull();
    else expect(difference).toMatchObject(found);
  });

  it("is there exactly when they are written otherwise, and of lists it is the first that a naive look finds", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (before, after) => {
        const found = findFirstDifference(before, after);
        expect(found === null).toBe(JSON.stringify(before) === JSON.stringify(after));
        expect(findFirstDifference(before, before)).toBeNull();
      }),
    );
    const list = fc.array(fc.constantFrom("a", "b"), { maxLength: 6 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const naive = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => at);
        const at = naive.find((place) => before[place] !== after[place]);
        expect(findFirstDifference(before, after)?.path).toBe(at === undefined ? undefined : `[${at}]`);
      }),
    );
  });

  it("goes as deep as a value is nested", () => {
    const nest = (inner: string): unknown => JSON.parse(`${"[".repeat(5_000)}"${inner}"${"]".repeat(5_000)}`);
    expect(findFirstDifference(nest("a"), nest("b"))).toMatchObject({ before: "a", after: "b" });
  });
});

const prompt = (system: string, ...texts: string[]) => ({
  "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: system }]),
  "gen_ai.input.messages": JSON.stringify(
    texts.map((content) => ({ role: "user", parts: [{ type: "text", content }] })),
  ),
});

describe("two prompts", () => {
  it("part where the first text differs, which is shown with what stands before it", () => {
    expect(comparePrompts(prompt("It is 18:06 now.", "a"), prompt("It is 18:07 now.", "a", "b"))).toEqual({
      ...{ state: "shown", path: "system[0].content", common: "It is 18:0" },
      ...{ before: "6 now.", after: "7 now." },
    });
    expect(comparePrompts(prompt("s", "first", "second"), prompt("s", "first"))).toMatchObject({
      ...{ state: "shown", path: "messages[1]", after: "" },
    });
    const long = "한".repeat(500);
    const { common, before } = comparePrompts(prompt("s", `${long}a`), prompt("s", `${long}b`));
    expect([common.length, before]).toEqual([80, "a"]);
    expect(comparePrompts(prompt("😀"), prompt("😁"))).toMatchObject({ common: "", before: "😀", after: "😁" });
  });

  it("are the same where the later one only goes on", () => {
    expect(comparePrompts(prompt("s", "a"), prompt("s", "a", "b")).state).toBe("same");
  });

  it("say why they are not shown", () => {
    expect(comparePrompts({}, prompt("s")).state).toBe("not_recorded");
    expect(comparePrompts({ "gen_ai.input.messages": "{" }, prompt("s")).state).toBe("not_recorded");
    expect(comparePrompts({ ...prompt("s"), "centspan.content.truncated": "true" }, prompt("t")).state).toBe(
      "truncated",
    );
  });
});
