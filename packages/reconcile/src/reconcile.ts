/**
 * What lies between an invoice and the ledger, and why. Each day of each series that differs is explained once, by the first
 * cause that fits: a key that only the provider has seen, days of another time zone, usage without a price, rounding, a
 * price, and, by name too, what nothing here explains. Invariant: the differences add up to invoiced − rated.
 */
import { countToDecimal, type Decimal, nextDay, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import type { InvoiceLine, UsageCell } from "@centspan/model";
import { findZone } from "./find-zone.ts";
import {
  type Aliases,
  type Dimension,
  type Invoiced,
  type Matching,
  matchLines,
  type Rated,
  type Series,
  sumDays,
  type Terms,
  toZoneDays,
} from "./match-lines.ts";

export const CAUSES = [
  "missing_key",
  "time_zone",
  "unpriced",
  "provider_credit",
  "adjustment",
  "not_invoiced",
  "rounding",
  "price",
  "unexplained",
] as const;
export type Cause = (typeof CAUSES)[number];

/** Amounts are USD, or tokens and requests where the file has no costs. Invoiced − rated is the difference. */
export type Difference = Terms & {
  cause: Cause;
  days: string[];
  invoiced: Decimal;
  rated: Decimal;
  difference: Decimal;
  /** What is the evidence, in words. */
  evidence: string;
  /** Where it stands in the file. */
  rows: string[];
};

export type Reconciliation = {
  unit: Matching["unit"];
  /** First and last day of the file. */
  days: { from: string; to: string };
  compared: Dimension[];
  strange: Dimension[];
  invoiced: Decimal;
  rated: Decimal;
  difference: Decimal;
  /** Days of series that agree exactly. */
  matched: number;
  differences: Difference[];
};

/** One day of one series. */
type Gap = { series: Series; day: string; invoiced: Invoiced; rated: Rated };

const NOT_INVOICED: Invoiced = { value: ZERO, quantity: 0, rows: [] };
const NOT_RATED: Rated = { value: ZERO, quantity: 0, unpricedQuantity: 0 };

/** `cells` are by stretches of a quarter of an hour, and reach a day beyond the file's days on both sides. */
export function reconcile(
  lines: readonly InvoiceLine[],
  cells: readonly UsageCell[],
  { aliases, timeZone }: { aliases: Aliases; timeZone: string },
): Reconciliation {
  const usage = lines.filter(({ kind }) => kind === "usage");
  const others = lines.filter(({ kind }) => kind !== "usage");
  const { series, compared, strange, unit } = matchLines(usage, cells, aliases);
  const days = listDays(lines.map(({ day }) => day));
  const utcDays = toZoneDays(days, "UTC");
  const gaps: Gap[] = [];
  let [matched, rated] = [0, ZERO];
  for (const one of series) {
    const ours = sumDays(one.cells, unit, utcDays);
    for (const day of days) {
      const gap = {
        series: one,
        day,
        invoiced: one.invoiced.get(day) ?? NOT_INVOICED,
        rated: ours.get(day) ?? NOT_RATED,
      };
      rated = rated.plus(gap.rated.value);
      if (!gap.invoiced.value.eq(gap.rated.value)) gaps.push(gap);
      else if (one.invoiced.has(day) || ours.has(day)) matched += 1;
    }
  }
  const explain = createExplanations(gaps, { series, compared, unit, days, timeZone });
  const differences = [
    ...groupGaps(gaps.map((gap) => ({ ...gap, ...explain(gap) }))),
    ...others.map((line) => toDifference(line, unit)),
  ].sort((a, b) => CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause) || b.difference.abs().cmp(a.difference.abs()));
  const invoiced = sumDecimals(lines.map((line) => amountOf(line, unit)));
  const [from = "", to = ""] = [days[0], days.at(-1)];
  return {
    unit,
    days: { from, to },
    compared,
    strange,
    invoiced,
    rated,
    difference: invoiced.minus(rated),
    matched,
    differences,
  };
}

type Explanation = { cause: Cause; evidence: string };

function createExplanations(
  gaps: readonly Gap[],
  known: Pick<Matching, "series" | "compared" | "unit"> & { days: readonly string[]; timeZone: string },
): (gap: Gap) => Explanation {
  const { compared, unit, days, timeZone } = known;
  const ours = new Set(known.series.filter(({ cells }) => cells.length > 0).map(({ terms }) => whose(terms)));
  const differing = new Set(gaps.map(({ series }) => series).filter(isOnBothSides));
  const moved = findZone([...differing], unit, days, timeZone);
  const saysWhose = compared.includes("key") || compared.includes("project");
  return (gap) => {
    const { series, invoiced, rated } = gap;
    if (saysWhose && !ours.has(whose(series.terms))) {
      return { cause: "missing_key", evidence: "the provider has seen it, and no span has" };
    }
    if (moved?.series.has(series)) {
      return { cause: "time_zone", evidence: `by days of ${moved.zone} every day is equal` };
    }
    if (unit === "usd" && rated.unpricedQuantity > 0) {
      return { cause: "unpriced", evidence: "there is no price for it here" };
    }
    if (series.invoiced.size === 0) return { cause: "not_invoiced", evidence: "it is nowhere in the file" };
    if (unit === "usd" && isRounding(gap))
      return { cause: "rounding", evidence: "less than the last place of the file" };
    if (unit === "usd" && invoiced.quantity === rated.quantity) {
      return { cause: "price", evidence: "the same quantity at another price" };
    }
    return { cause: "unexplained", evidence: "" };
  };
}

const isOnBothSides = ({ invoiced, cells }: Series): boolean => invoiced.size > 0 && cells.length > 0;
const whose = ({ provider, project, key }: Terms): string => JSON.stringify([provider, project, key]);

/** All days from the first to the last. */
export function listDays(given: readonly string[]): string[] {
  const sorted = [...given].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  const days: string[] = [];
  if (first === undefined || last === undefined) return days;
  for (let day = first; day <= last; day = nextDay(day)) days.push(day);
  return days;
}

const amountOf = ({ costUsd, quantity }: InvoiceLine, unit: Matching["unit"]): Decimal =>
  unit === "usd" ? (costUsd ?? ZERO) : countToDecimal(quantity ?? 0);

/** Files have whole cents, or more places; each of their lines may be off by one of its last. */
function isRounding({ invoiced, rated }: Gap): boolean {
  const decimals = invoiced.value.toFixed().split(".")[1]?.length ?? 0;
  const unit = parseDecimal(`0.${"1".padStart(Math.max(decimals, 2), "0")}`);
  return invoiced.value
    .minus(rated.value)
    .abs()
    .lt(unit.times(countToDecimal(invoiced.rows.length)));
}

type ExplainedGap = Gap & Explanation;

/** Days of a series with one cause are one difference; of a key, or of a time zone, all its series are. */
function groupGaps(gaps: readonly ExplainedGap[]): Difference[] {
  const groups = new Map<string, { terms: Terms; gaps: ExplainedGap[] }>();
  for (const gap of gaps) {
    const terms = commonTerms(gap);
    const name = JSON.stringify([gap.cause, terms]);
    const group = groups.get(name);
    if (group) group.gaps.push(gap);
    else groups.set(name, { terms, gaps: [gap] });
  }
  return [...groups.values()].map(({ terms, gaps: own }) => {
    const [first] = own;
    const invoiced = sumDecimals(own.map((gap) => gap.invoiced.value));
    const rated = sumDecimals(own.map((gap) => gap.rated.value));
    return {
      ...terms,
      cause: first?.cause ?? "unexplained",
      evidence: first?.evidence ?? "",
      days: [...new Set(own.map(({ day }) => day))].sort(),
      invoiced,
      rated,
      difference: invoiced.minus(rated),
      rows: own.flatMap((gap) => gap.invoiced.rows),
    };
  });
}

function commonTerms({ cause, series: { terms } }: ExplainedGap): Terms {
  if (cause === "missing_key") return { ...terms, model: "", meter: "" };
  if (cause === "time_zone") return { ...terms, project: "", key: "", model: "", meter: "" };
  return terms;
}

function toDifference(line: InvoiceLine, unit: Matching["unit"]): Difference {
  const invoiced = amountOf(line, unit);
  return {
    provider: line.provider,
    project: line.project ?? "",
    key: line.key ?? "",
    model: line.model ?? "",
    meter: line.meter ?? "",
    cause: line.kind === "credit" ? "provider_credit" : "adjustment",
    evidence: line.description,
    days: [line.day],
    invoiced,
    rated: ZERO,
    difference: invoiced,
    rows: [line.row],
  };
}
