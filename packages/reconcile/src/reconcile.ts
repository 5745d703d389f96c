/**
 * What lies between an invoice and the ledger, and why. Each day of each series that differs is explained once, by the first
 * cause that fits: what is in quarantine, a key that only the provider has seen, what came after its month was closed, rows that
 * are there twice, days of another time zone, usage without a price, rounding, a price, and, by name too, what nothing here explains. Invariant: the differences add up to invoiced − rated.
 */
import { type Decimal, nextDay, sumDecimals, ZERO } from "@centspan/base";
import type { InvoiceLine, QuarantinedCalls, TimeRange, UsageCell, UsageQuestion } from "@centspan/model";
import { findRounding, mostOf, readHalfPlace } from "./find-rounding.ts";
import { findZone, type ZoneFinding } from "./find-zone.ts";
import {
  type Aliases,
  amountOf,
  canonicalModel,
  chooseDimensions,
  type Dimension,
  type Gap,
  groupBy,
  type Invoiced,
  listNames,
  matchLines,
  type Rated,
  type Series,
  type Terms,
  toZoneDays,
  type Unit,
  walkDays,
} from "./match-lines.ts";

export const CAUSES = [
  "missing_key",
  "duplicate",
  "time_zone",
  "unpriced",
  "quarantined",
  "provider_credit",
  "adjustment",
  "correction",
  "commitment",
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
  unit: Unit;
  /** First and last day that the file has usage of, which are compared with all between; of other lines where it has none. */
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

const NOT_INVOICED: Invoiced = { value: ZERO, quantity: 0, rows: [], repeated: [] };
const NOT_RATED: Rated = { value: ZERO, later: ZERO, quantity: 0, unpricedQuantity: 0 };

/** What is asked of the ledger, of the file's workspace. */
export type Ledger = {
  /** Names of teams, or of keys, that the provider was used by. */
  listNames(name: "team" | "key", provider: string, range: TimeRange): Promise<string[]>;
  sumUsage(question: UsageQuestion): Promise<UsageCell[]>;
  /** By days of UTC. */
  countQuarantined(question: Pick<UsageQuestion, "range" | "providers" | "by">): Promise<QuarantinedCalls[]>;
};

const DAY_NS = 86_400_000_000_000n;

/** The ledger is asked by days of UTC for all of it, and more closely for what differs. */
export async function reconcile(
  lines: readonly InvoiceLine[],
  ledger: Ledger,
  { aliases, timeZone }: { aliases: Aliases; timeZone: string },
): Promise<Reconciliation> {
  const usage = lines.filter(({ kind }) => kind === "usage");
  const others = lines.flatMap((line) => (line.kind === "usage" ? [] : [{ ...line, cause: CAUSE_OF_KIND[line.kind] }]));
  const days = listDays(usage);
  const utcDays = toZoneDays(days, "UTC");
  const providers = [...new Set(usage.map(({ provider }) => provider))];
  // Days of other time zones reach over those of UTC.
  const range = { fromNs: (utcDays[0]?.fromNs ?? DAY_NS) - DAY_NS, toNs: (utcDays.at(-1)?.toNs ?? 0n) + DAY_NS };
  const { compared, strange } = await chooseDimensions(usage, aliases, async (name, values) => {
    const known = await Promise.all(providers.map((provider) => ledger.listNames(name, provider, range)));
    return known.flat().some((value) => values.has(value));
  });
  const ask = async (question: Pick<UsageQuestion, "cells" | "only">): Promise<UsageCell[]> =>
    usage.length === 0 ? [] : ledger.sumUsage({ range, providers, by: listNames(compared), ...question });
  const matching = matchLines(usage, await ask({ cells: { daysOf: "UTC" } }), compared, aliases);
  const held = usage.length === 0 ? [] : await ledger.countQuarantined({ range, providers, by: listNames(compared) });
  const { series, unit } = matching;
  const gaps: Gap[] = [];
  let [matched, rated] = [0, ZERO];
  for (const one of series) {
    for (const [day, ours] of walkDays(one.cells, unit, utcDays)) {
      const gap = { series: one, day, invoiced: one.invoiced.get(day) ?? NOT_INVOICED, rated: ours ?? NOT_RATED };
      rated = rated.plus(gap.rated.value);
      if (!gap.invoiced.value.eq(gap.rated.value)) gaps.push(gap);
      else if (one.invoiced.has(day) || ours !== undefined) matched += 1;
    }
  }
  const differing = new Set(gaps.map((gap) => gap.series).filter(isOnBothSides));
  const moved = await findZone([...differing], matching, { days, own: timeZone, ask });
  const explain = createExplanations(gaps, { series, unit, compared, moved, usage, held });
  const differences = [
    ...sumGaps(gaps.map((gap) => ({ ...gap, ...explain(gap) }))),
    ...others.map((line) => toDifference(line, unit)).filter(({ difference }) => !difference.eq(ZERO)),
  ].sort((a, b) => CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause) || b.difference.abs().cmp(a.difference.abs()));
  const invoiced = sumDecimals(lines.map((line) => amountOf(line, unit)));
  const told = usage.length > 0 ? days : listDays(others);
  const [from = "", to = ""] = [told[0], told.at(-1)];
  const difference = invoiced.minus(rated);
  return { unit, days: { from, to }, compared, strange, invoiced, rated, difference, matched, differences };
}

type Explanation = { cause: Cause; evidence: string };
type Known = {
  series: readonly Series[];
  unit: Unit;
  compared: readonly Dimension[];
  moved: ZoneFinding | null;
  usage: readonly InvoiceLine[];
  held: readonly QuarantinedCalls[];
};

function createExplanations(
  gaps: readonly Gap[],
  { series: all, unit, compared, moved, usage, held }: Known,
): (gap: Gap) => Explanation {
  const ours = new Set(all.filter(({ cells }) => cells.length > 0).map(({ terms }) => whose(terms)));
  const saysWhose = compared.includes("key") || compared.includes("project");
  const missing = new Set(all.filter(({ terms }) => saysWhose && !ours.has(whose(terms))));
  const half = readHalfPlace(usage);
  const explain = (gap: Gap): Explanation | null => {
    const { series, invoiced, rated } = gap;
    const isMore = invoiced.value.gt(rated.value);
    if (isMore && held.some((calls) => isOf(gap, calls))) {
      return { cause: "quarantined", evidence: "calls of it are in quarantine here, and not priced" };
    }
    if (missing.has(series)) {
      return { cause: "missing_key", evidence: "the provider has seen it, and no span has" };
    }
    if (!rated.later.eq(ZERO) && invoiced.value.eq(rated.value.minus(rated.later))) {
      return { cause: "correction", evidence: "it came here after its month was closed" };
    }
    if (invoiced.repeated.length > 0 && withoutRepeated(gap, unit).abs().lte(mostOf(gap, half))) {
      const rows = invoiced.repeated.map(({ row }) => row).join(", ");
      return { cause: "duplicate", evidence: `${rows}: says the same as a row before it, and without it they agree` };
    }
    if (moved?.series.has(series)) {
      return { cause: "time_zone", evidence: `by days of ${moved.zone} every day is equal` };
    }
    if (unit === "usd" && rated.unpricedQuantity > 0 && isMore && isSameQuantity(gap)) {
      return { cause: "unpriced", evidence: "there is no price for it here" };
    }
    return series.invoiced.size === 0 ? { cause: "not_invoiced", evidence: "it is nowhere in the file" } : null;
  };
  const left = unit === "usd" ? gaps.filter((gap) => explain(gap) === null) : [];
  const { little, rounded } = findRounding(left, usage);
  const explainLeft = (gap: Gap): Explanation => {
    if (rounded.has(gap)) {
      return { cause: "rounding", evidence: "at most half of the file's last place a line, to both sides" };
    }
    if (unit === "usd" && gap.invoiced.quantity === gap.rated.quantity) {
      return { cause: "price", evidence: "the same quantity at another price" };
    }
    const isLittle = little.has(gap);
    return { cause: "unexplained", evidence: isLittle ? "as little a line as rounding, but all to one side" : "" };
  };
  return (gap) => explain(gap) ?? explainLeft(gap);
}

/** As far as the file says how much it was. */
const isSameQuantity = ({ invoiced, rated }: Gap): boolean =>
  invoiced.quantity === null || invoiced.quantity === rated.quantity;

function withoutRepeated({ invoiced, rated }: Gap, unit: Unit): Decimal {
  const repeated = sumDecimals(invoiced.repeated.map((line) => amountOf(line, unit)));
  return invoiced.value.minus(repeated).minus(rated.value);
}

/** Of that day and whose they are, as far as that is told apart: what they used is not known by meter. */
function isOf({ day, series: { terms } }: Gap, held: QuarantinedCalls): boolean {
  const { provider, project, key, model } = terms;
  const names = [
    [project, held.team],
    [key, held.key],
    [model, canonicalModel(held.model)],
  ];
  return day === held.day && provider === held.provider && names.every(([term, name]) => term === "" || term === name);
}

const isOnBothSides = ({ invoiced, cells }: Series): boolean => invoiced.size > 0 && cells.length > 0;
const whose = ({ provider, project, key }: Terms): string => JSON.stringify([provider, project, key]);

/** All days from the first to the last. */
export function listDays(lines: readonly InvoiceLine[]): string[] {
  const sorted = lines.map(({ day }) => day).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  const days: string[] = [];
  if (first === undefined || last === undefined) return days;
  for (let day = first; day <= last; day = nextDay(day)) days.push(day);
  return days;
}

type ExplainedGap = Gap & Explanation;

/** Days of a series with one cause and evidence are one difference; of a key, or of a time zone, all its series are. */
const sumGaps = (gaps: readonly ExplainedGap[]): Difference[] =>
  [...groupBy(gaps, nameCommon).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const invoiced = sumDecimals(own.map((gap) => gap.invoiced.value));
    const rated = sumDecimals(own.map((gap) => gap.rated.value));
    return {
      ...commonTerms(first),
      cause: first.cause,
      evidence: first.evidence,
      days: [...new Set(own.map(({ day }) => day))].sort(),
      invoiced,
      rated,
      difference: invoiced.minus(rated),
      rows: own.flatMap((gap) => gap.invoiced.rows),
    };
  });

function nameCommon(gap: ExplainedGap): string {
  const common = commonTerms(gap);
  const name = common === gap.series.terms ? gap.series.name : JSON.stringify(common);
  return [gap.cause, gap.evidence, name].join("\n");
}

function commonTerms({ cause, series: { terms } }: ExplainedGap): Terms {
  if (cause === "missing_key") return { ...terms, model: "", meter: "" };
  if (cause === "time_zone") return { ...terms, project: "", key: "", model: "", meter: "" };
  return terms;
}

const CAUSE_OF_KIND: Readonly<Record<Exclude<InvoiceLine["kind"], "usage">, Cause>> = {
  credit: "provider_credit",
  adjustment: "adjustment",
  correction: "correction",
  commitment: "commitment",
};

function toDifference(line: InvoiceLine & { cause: Cause }, unit: Unit): Difference {
  const invoiced = amountOf(line, unit);
  return {
    provider: line.provider,
    project: line.project ?? "",
    key: line.key ?? "",
    model: line.model ?? "",
    meter: line.meter ?? "",
    cause: line.cause,
    evidence: line.description,
    days: [line.day],
    invoiced,
    rated: ZERO,
    difference: invoiced,
    rows: [line.row],
  };
}
