import { expect, it } from "vitest";
import { chooseTicks, drawLineChart } from "./line-chart.ts";

const chart = {
  title: "Hit rate <by> capacity",
  xLabel: "blocks",
  yLabel: "hit rate",
  series: [
    {
      name: "lru & co",
      points: [
        { x: 1_000, y: 0.05 },
        { x: 10_000, y: 0.2 },
        { x: 100_000, y: 0.36 },
      ],
    },
    {
      name: "belady",
      points: [
        { x: 1_000, y: 0.19 },
        { x: 100_000, y: 0.37 },
      ],
    },
  ],
};

it("draws every point where it belongs: more is higher, equal factors are equally far apart", () => {
  const svg = drawLineChart(chart);
  const points = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map((match) => [
    Number(match[1]),
    Number(match[2]),
  ]);
  expect(points).toHaveLength(5);
  const [[x0 = 0, y0 = 0] = [], [x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = points;
  expect(x1 - x0).toBeCloseTo(x2 - x1, 1);
  expect(y0).toBeGreaterThan(y1);
  expect(y1).toBeGreaterThan(y2);
});

it("is the same bytes for the same data, with text that can't break the file", () => {
  const svg = drawLineChart(chart);
  expect(drawLineChart(structuredClone(chart))).toBe(svg);
  expect(svg).toContain("Hit rate &lt;by&gt; capacity");
  expect(svg).toContain("lru &amp; co");
  expect(svg).not.toContain("NaN");
});

it("keeps names apart", () => {
  const svg = drawLineChart(chart);
  const names = ["lru &amp; co", "belady"].map((name) => Number(svg.match(`y="([\\d.]+)"[^>]*>${name}<`)?.[1]));
  expect(Math.abs((names[0] ?? 0) - (names[1] ?? 0))).toBeGreaterThanOrEqual(16);
});

it("has round ticks within the range", () => {
  expect(chooseTicks(1_000, 100_000)).toEqual([1_000, 5_000, 10_000, 50_000, 100_000]);
  expect(chooseTicks(15, 120)).toEqual([20, 50, 100]);
});

it("of a single point draws that point", () => {
  const svg = drawLineChart({ ...chart, series: [{ name: "one", points: [{ x: 5, y: 0.5 }] }] });
  expect(svg.match(/<circle/g)).toHaveLength(1);
  expect(svg).not.toContain("NaN");
});
