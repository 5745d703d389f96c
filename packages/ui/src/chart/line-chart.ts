/**
 * A line chart as SVG text: numbers in, a file out. The same data give the same bytes.
 * Must not: read a theme or a page; colours are those of `theme.css` on white, so that it can be printed.
 */
export type LineSeries = { name: string; points: readonly { x: number; y: number }[] };

export type LineChart = {
  title: string;
  xLabel: string;
  yLabel: string;
  /** Shares as percentages from 0 to the next ten above the highest. */
  series: readonly LineSeries[];
};

const SIZE = { width: 760, height: 420 };
const MARGIN = { top: 44, right: 150, bottom: 54, left: 64 };
const COLOURS = ["#1d5bb8", "#87919f", "#6a4391", "#23807b", "#ad430c", "#5b7fa8"];
const INK = "#141922";
const FAINT = "#e2e5e9";
const FONT = "font-family='system-ui, sans-serif' font-size='12'";

type Scale = (value: number) => number;

/** x on a logarithmic scale; every x is above 0. */
export function drawLineChart({ title, xLabel, yLabel, series }: LineChart): string {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y));
  const [lowX, highX] = [Math.min(...xs), Math.max(...xs)];
  const topY = Math.min(1, Math.ceil(Math.max(0.01, ...ys) * 10 + 1e-9) / 10);
  const width = SIZE.width - MARGIN.left - MARGIN.right;
  const height = SIZE.height - MARGIN.top - MARGIN.bottom;
  const spread = Math.log(highX) - Math.log(lowX) || 1;
  const toX: Scale = (x) => round(MARGIN.left + ((Math.log(x) - Math.log(lowX)) / spread) * width);
  const toY: Scale = (y) => round(MARGIN.top + height - (y / topY) * height);
  const bottom = MARGIN.top + height;
  const right = MARGIN.left + width;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" ${FONT.replaceAll("'", '"')}>`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>`,
    text(MARGIN.left, 24, title, { size: 15 }),
    ...drawGrid({ toX, toY, topY, xs: chooseTicks(lowX, highX), bottom, right }),
    text((MARGIN.left + right) / 2, SIZE.height - 14, xLabel, { anchor: "middle" }),
    `<g transform="translate(18 ${(MARGIN.top + bottom) / 2}) rotate(-90)">${text(0, 0, yLabel, { anchor: "middle" })}</g>`,
    ...series.map((one, at) => drawSeries(one, COLOURS[at % COLOURS.length] ?? INK, toX, toY)),
    ...placeLabels(series, toY).map(({ name, y, at }) =>
      text(right + 10, y + 4, name, { fill: COLOURS[at % COLOURS.length] ?? INK }),
    ),
    "</svg>",
    "",
  ].join("\n");
}

const round = (value: number): number => Math.round(value * 100) / 100;

const escapeText = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

type TextStyle = { anchor?: string; fill?: string; size?: number };
const text = (x: number, y: number, value: string, { anchor = "start", fill = INK, size = 12 }: TextStyle): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${fill}" font-size="${size}">${escapeText(value)}</text>`;

type Grid = { toX: Scale; toY: Scale; topY: number; xs: readonly number[]; bottom: number; right: number };

function drawGrid({ toX, toY, topY, xs, bottom, right }: Grid): string[] {
  const rows = Array.from({ length: Math.round(topY * 10) + 1 }, (_, tenth) => tenth / 10).flatMap((y) => [
    `<line x1="${MARGIN.left}" x2="${right}" y1="${toY(y)}" y2="${toY(y)}" stroke="${FAINT}"/>`,
    text(MARGIN.left - 8, toY(y) + 4, `${Math.round(y * 100)}%`, { anchor: "end" }),
  ]);
  const columns = xs.flatMap((x) => [
    `<line x1="${toX(x)}" x2="${toX(x)}" y1="${bottom}" y2="${bottom + 5}" stroke="${INK}"/>`,
    text(toX(x), bottom + 20, x.toLocaleString("en-US"), { anchor: "middle" }),
  ]);
  return [...rows, ...columns];
}

/** Ones, twos and fives; fewer where that would be many. */
export function chooseTicks(low: number, high: number): number[] {
  const steps = high / low > 300 ? [1] : high / low > 30 ? [1, 5] : [1, 2, 5];
  const ticks: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10)
    for (const step of steps) if (decade * step >= low && decade * step <= high) ticks.push(decade * step);
  return ticks;
}

function drawSeries({ points }: LineSeries, colour: string, toX: Scale, toY: Scale): string {
  const path = points.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(" ");
  const dots = points.map(({ x, y }) => `<circle cx="${toX(x)}" cy="${toY(y)}" r="3" fill="${colour}"/>`).join("");
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}`;
}

/** Names at the lines' ends, moved apart where they would cover each other. */
function placeLabels(series: readonly LineSeries[], toY: Scale): { name: string; y: number; at: number }[] {
  const labels = series
    .map(({ name, points }, at) => ({ name, at, y: toY(points.at(-1)?.y ?? 0) }))
    .sort((a, b) => a.y - b.y);
  let lowest = Number.NEGATIVE_INFINITY;
  return labels.map((label) => {
    lowest = Math.max(label.y, lowest + 16);
    return { ...label, y: lowest };
  });
}
