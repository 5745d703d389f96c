import { FOLDS, type Note } from "@centspan/ui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { describeNote, needsAttention } from "./describe-note.ts";
import { chooseAction } from "./waterfall/choose-action.ts";
import { ALL_AS_IT_IS, readView, splitSelection, toggleRow, type View, viewHref } from "./waterfall-state.ts";

const TRACE = "a".repeat(32);

describe("view state in the address", () => {
  it("is read from the parameters, and rubbish reads as absent", () => {
    const view = readView({
      open: "b,a,,",
      closed: "c",
      span: "s",
      zoom: "10-20",
      fold: "api",
      skew: "h%2C1:5,h2:-2.5",
    });
    expect([...view.opened, ...view.closed]).toEqual(["b", "a", "c"]);
    expect(view).toMatchObject({ selected: "s", window: { fromNs: 10, toNs: 20 }, fold: "api", find: "" });
    expect(view.skew).toEqual({
      on: true,
      hosts: new Map([
        ["h,1", 5e6],
        ["h2", -2.5e6],
      ]),
    });
    expect(readView({ zoom: "20-10", fold: "all", skew: "h" })).toEqual(ALL_AS_IT_IS);
    expect(readView({ skew: "off" }).skew.on).toBe(false);
  });

  it("comes back from the address that it is written to", () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{4}$/), { maxLength: 6 }).map((ids) => new Set(ids.sort()));
    const view: fc.Arbitrary<View> = fc.record({
      fold: fc.constantFrom(...FOLDS),
      opened: keys,
      closed: keys,
      selected: fc.constantFrom(null, "aa", "bb:cc"),
      window: fc.constantFrom(null, { fromNs: -5, toNs: 7 }),
      skew: fc.constantFrom({ on: false, hosts: new Map() }, { on: true, hosts: new Map([["a b,c:d", 1.5e6]]) }),
      find: fc.constantFrom("", "a&b c"),
    });
    fc.assert(
      fc.property(view, (drawn) => {
        const href = viewHref("/runs/t", "?workspace=w&span=old&row=1", drawn);
        const params = Object.fromEntries(new URL(href, "http://h").searchParams);
        expect(readView(params)).toEqual(drawn);
        expect(params).toMatchObject({ workspace: "w", row: "1" });
      }),
    );
  });

  it("folds a row, and unfolds it to what it was", () => {
    const before = { ...ALL_AS_IT_IS, opened: new Set(["a", "b"]) };
    const shut = toggleRow(before, "a", true);
    expect([[...shut.opened], [...shut.closed]]).toEqual([["b"], ["a"]]);
    const again = toggleRow(shut, "a", false);
    expect([[...again.opened].sort(), [...again.closed]]).toEqual([["a", "b"], []]);
  });

  it("names a span of this trace, or an engine step of another", () => {
    expect(splitSelection("1234", TRACE)).toEqual({ traceId: TRACE, spanId: "1234" });
    expect(splitSelection("eeee:1234", TRACE)).toEqual({ traceId: "eeee", spanId: "1234" });
  });
});

describe("keys", () => {
  const pressed = (key: string, more = {}) =>
    chooseAction({ key, altKey: false, ctrlKey: false, metaKey: false, ...more });

  it("mean something, but for the browser's own", () => {
    expect(["ArrowDown", "n", "N", "c", "/", "0"].map((key) => pressed(key))).toEqual([
      "down",
      "nextRepeated",
      null,
      "critical",
      "search",
      "zoomWhole",
    ]);
    expect(pressed("c", { ctrlKey: true })).toBeNull();
  });
});

describe("notes", () => {
  const t = getCatalogue("en");
  const cases: [Note, string, boolean][] = [
    [{ kind: "prefix_broken", section: "tools" }, "prefix broken: tools", true],
    [{ kind: "prefix_broken", section: "" }, "prefix broken", true],
    [{ kind: "tokenized", fresh: 1_536, reused: 41_088 }, "1,536 new, 41,088 reused", false],
    [{ kind: "safety", policy: "beside", verdict: "ok" }, "beside: ok", false],
    [{ kind: "blocks_hit", hit: 2, total: 666 }, "2 of 666 blocks hit", false],
    [{ kind: "decoded", tokens: 1 }, "1 tokens", false],
    [{ kind: "tests", passed: 12, failed: 0 }, "12 passed, 0 failed", false],
    [{ kind: "tests", passed: 10, failed: 2 }, "10 passed, 2 failed", true],
    [{ kind: "exit_code", code: 137 }, "exit code 137", true],
    [{ kind: "usage", input: 10, cached: 5, output: 2 }, "10 in, 5 cached, 2 out", false],
    [{ kind: "http_status", status: 503 }, "status 503", true],
    [{ kind: "error", error: "timeout" }, "timeout", true],
  ];
  it.each(cases)("%o", (note, text, attention) => {
    expect([describeNote(note, t), needsAttention(note)]).toEqual([text, attention]);
  });
});
