import type { Note } from "@centspan/ui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { describeNote, needsAttention } from "./describe-note.ts";
import { readSelection, readView, toggleRow } from "./waterfall-state.ts";

const TRACE = "a".repeat(32);

describe("view state in the address", () => {
  it("is read from the parameters, and rubbish reads as absent", () => {
    const view = readView({ open: "b,a,,", closed: "c", span: "s", row: "-4" });
    expect([...view.opened, ...view.closed]).toEqual(["b", "a", "c"]);
    expect(view).toMatchObject({ selected: "s", zoom: null, firstRow: 0 });
    expect(readView({ row: "800" }).firstRow).toBe(800);
  });

  it("folds back to the address it came from", () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{4}$/), { maxLength: 6 });
    fc.assert(
      fc.property(keys, fc.stringMatching(/^[g-z]{4}$/), (open, key) => {
        const before = { open: open.sort().join(",") };
        const shut = toggleRow(readView(before), key, true);
        expect(shut.closed).toBe(key);
        const reopened = toggleRow(readView({ open: shut.open ?? "", closed: shut.closed ?? "" }), key, false);
        expect(readView({ open: reopened.open ?? "" }).opened).toEqual(new Set([...open, key]));
        expect(reopened.closed).toBeNull();
      }),
    );
  });

  it("names a span of this trace, or an engine step of another", () => {
    expect(readSelection({}, TRACE)).toBeNull();
    expect(readSelection({ span: "1234" }, TRACE)).toEqual({ traceId: TRACE, spanId: "1234" });
    expect(readSelection({ span: "eeee:1234" }, TRACE)).toEqual({ traceId: "eeee", spanId: "1234" });
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
