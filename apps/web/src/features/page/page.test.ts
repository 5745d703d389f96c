import { describe, expect, it } from "vitest";
import { buildHref, pickCarried, readParams } from "./params.ts";
import { readPeriod, resolvePeriod } from "./period.ts";

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
  const nowMs = Date.parse("2026-11-29T18:06:24.500Z");
  const utc = { zone: "UTC", nowMs };

  it("comes from the URL, whole minutes so that reloads agree", () => {
    expect(readPeriod({ period: "24h" }, utc)).toMatchObject({
      id: "24h",
      range: { from: "2026-11-28T18:06:00.000Z" },
    });
    expect(readPeriod({ period: "all" }, utc)).toMatchObject({ range: {}, before: null });
    expect(readPeriod({ period: "1y" }, utc)).toBeNull();
  });

  it("is of complete days in the workspace's zone, against as many before", () => {
    expect(readPeriod({ period: "7d" }, { ...utc, zone: "Asia/Seoul" })).toMatchObject({
      id: "7d",
      // Today is the 30th there.
      days: { firstDay: "2026-11-23", lastDay: "2026-11-29", isOpen: false },
      range: { from: expect.stringMatching(/^2026-11-22T15:00/), to: expect.stringMatching(/^2026-11-29T15:00/) },
      before: { from: expect.stringMatching(/^2026-11-15T15:00/) },
    });
  });

  it("includes the last day a person names, and takes instants as they are", () => {
    expect(readPeriod({ from: "2026-10-30", to: "2026-11-28" }, utc)).toMatchObject({
      id: "custom",
      range: { from: expect.stringMatching(/^2026-10-30T00/), to: expect.stringMatching(/^2026-11-29T00/) },
      before: { from: expect.stringMatching(/^2026-09-30T00/) },
    });
    const instants = { from: "2026-11-28T10:00:00Z", to: "2026-11-28T12:00:00Z" };
    expect(readPeriod(instants, utc)).toMatchObject({
      range: instants,
      before: { from: "2026-11-28T08:00:00.000Z", to: "2026-11-28T10:00:00.000Z" },
    });
    expect(readPeriod({ from: "soon" }, utc)).toMatchObject({ range: { from: "soon" }, before: null });
  });

  it("is the last 30 complete days, with today where they hold nothing, or all time", async () => {
    const resolve = (params: Record<string, string>, answers: boolean[]) =>
      resolvePeriod(params, utc, async () => answers.shift() ?? false);
    expect(await resolve({}, [true])).toMatchObject({
      id: "30d",
      days: { firstDay: "2026-10-30", lastDay: "2026-11-28", isOpen: false },
    });
    expect(await resolve({}, [false, true])).toMatchObject({
      id: "30d",
      days: { lastDay: "2026-11-29", isOpen: true },
    });
    expect(await resolve({}, [false, false])).toMatchObject({ id: "all", range: {}, fellBack: true });
    expect(await resolve({ period: "7d" }, [])).toMatchObject({ id: "7d" });
  });
});
