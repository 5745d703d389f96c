import { describe, expect, it } from "vitest";
import { buildHref, pickCarried, readParams } from "./params.ts";
import { endOfDay, readPeriod, resolvePeriod } from "./period.ts";

describe("addresses", () => {
  it("are equal for equal pages, whatever the order", () => {
    expect(buildHref("/runs", { team: "a b", key: "k&1", cursor: null, model: "" })).toBe("/runs?key=k%261&team=a+b");
    expect(buildHref("/runs", {})).toBe("/runs");
  });

  it("carry the workspace and the period, and nothing else", () => {
    expect(pickCarried({ workspace: "imports", period: "7d", key: "k", span: "s" })).toEqual({
      workspace: "imports",
      period: "7d",
    });
  });

  it("take the first of a repeated parameter and drop empty ones", () => {
    expect(readParams({ lang: "ko", key: ["a", "b"], team: "", model: undefined, task: "t" })).toEqual({
      key: "a",
      task: "t",
    });
  });
});

describe("period", () => {
  const NOW = Date.parse("2026-11-29T18:06:24.500Z");

  it("comes from the URL, whole minutes so that reloads agree", () => {
    expect(readPeriod({ period: "24h" }, NOW)).toEqual({
      id: "24h",
      range: { from: "2026-11-28T18:06:00.000Z" },
      fellBack: false,
    });
    expect(readPeriod({ period: "all" }, NOW)?.range).toEqual({});
    expect(readPeriod({ period: "1y" }, NOW)).toBeNull();
  });

  it("includes the last day a person names", () => {
    expect(readPeriod({ from: "2026-10-30", to: "2026-11-28" }, NOW)).toMatchObject({
      id: "custom",
      range: { from: "2026-10-30", to: "2026-11-29" },
    });
    expect([endOfDay("2026-12-31"), endOfDay("2028-02-28"), endOfDay("soon")]).toEqual([
      "2027-01-01",
      "2028-02-29",
      "soon",
    ]);
  });

  it("is the last 30 days, or all time when they hold nothing", async () => {
    const asked: unknown[] = [];
    const answer = (holds: boolean) => async (range: unknown) => {
      asked.push(range);
      return holds;
    };
    expect(await resolvePeriod({}, NOW, answer(true))).toMatchObject({ id: "30d", fellBack: false });
    expect(await resolvePeriod({}, NOW, answer(false))).toMatchObject({ id: "all", range: {}, fellBack: true });
    expect(await resolvePeriod({ period: "7d" }, NOW, answer(false))).toMatchObject({ id: "7d" });
    expect(asked).toEqual([{ from: "2026-10-30T18:06:00.000Z" }, { from: "2026-10-30T18:06:00.000Z" }]);
  });
});
