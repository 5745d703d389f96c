/**
 * An invoice's lines and the ledger's usage on the same terms: series of days, each of one provider, project, key, model and
 * meter, as far as the file tells them apart. What a file does not know, such as our keys, is not compared.
 */
import { countToDecimal, type Decimal, nextDay, startOfDayNs, sumDecimals, ZERO } from "@centspan/base";
import { INVOICE_METER_OF, type InvoiceLine, type UsageCell } from "@centspan/model";

/** Names of the provider's projects and keys, each with ours: the team and the key. */
export type Aliases = ReadonlyMap<string, string>;

export type Dimension = "project" | "key" | "model" | "meter";
export const DIMENSIONS: readonly Dimension[] = ["project", "key", "model", "meter"];
/** A value of each dimension that is compared; "" where the file says nothing, or it is not compared. */
export type Terms = { provider: string } & Record<Dimension, string>;

export type Invoiced = { value: Decimal; quantity: number | null; rows: string[] };
export type Rated = { value: Decimal; quantity: number; unpricedQuantity: number };
/** By day (YYYY-MM-DD). */
export type Series = { terms: Terms; invoiced: Map<string, Invoiced>; cells: UsageCell[] };

export type Matching = {
  series: Series[];
  compared: Dimension[];
  /** Dimensions that the file has, but with none of our names. */
  strange: Dimension[];
  /** What amounts are: money, or tokens and requests where the file has no costs. */
  unit: "usd" | "units";
};

export function matchLines(lines: readonly InvoiceLine[], cells: readonly UsageCell[], aliases: Aliases): Matching {
  const providers = new Set(lines.map(({ provider }) => provider));
  const ours = cells
    .filter(({ provider }) => providers.has(provider))
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const given = DIMENSIONS.filter((dimension) => lines.some((line) => line[dimension] !== null));
  // Of models and meters an unknown one is news; of projects and keys it is more likely that nobody said whose they are.
  const strange = given.filter(
    (dimension) =>
      (dimension === "project" || dimension === "key") &&
      !lines.some((line) => knows(ours, dimension, readTerm(line, dimension, aliases))),
  );
  const compared = given.filter((dimension) => !strange.includes(dimension));
  const unit = lines.some(({ costUsd }) => costUsd !== null) ? "usd" : "units";
  const series = new Map<string, Series>();
  const seriesOf = (terms: Terms): Series => {
    const name = JSON.stringify(terms);
    const known = series.get(name) ?? { terms, invoiced: new Map(), cells: [] };
    series.set(name, known);
    return known;
  };
  for (const line of lines) {
    const terms = toTerms(line.provider, (dimension) =>
      compared.includes(dimension) ? readTerm(line, dimension, aliases) : "",
    );
    addLine(seriesOf(terms).invoiced, line, unit);
  }
  for (const cell of ours) {
    const terms = toTerms(cell.provider, (dimension) => (compared.includes(dimension) ? termOf(cell, dimension) : ""));
    seriesOf(terms).cells.push(cell);
  }
  return { series: [...series.values()], compared, strange, unit };
}

const toTerms = (provider: string, read: (dimension: Dimension) => string): Terms => ({
  provider,
  project: read("project"),
  key: read("key"),
  model: read("model"),
  meter: read("meter"),
});

function readTerm(line: InvoiceLine, dimension: Dimension, aliases: Aliases): string {
  const value = line[dimension];
  if (value === null) return "";
  return dimension === "model" ? canonicalModel(value) : (aliases.get(value) ?? value);
}

function termOf(cell: UsageCell, dimension: Dimension): string {
  switch (dimension) {
    case "project":
      return cell.team;
    case "key":
      return cell.key;
    case "model":
      return canonicalModel(cell.model);
    case "meter":
      return INVOICE_METER_OF[cell.meter];
  }
}

const knows = (cells: readonly UsageCell[], dimension: Dimension, value: string): boolean =>
  value !== "" && cells.some((cell) => termOf(cell, dimension) === value);

/** `Claude Haiku 4.5`, `claude-haiku-4-5-20251001` and `anthropic/claude-haiku-4.5` are one. */
export const canonicalModel = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^[a-z]+\//, "")
    .replace(/[ ._]/g, "-")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

function addLine(days: Map<string, Invoiced>, line: InvoiceLine, unit: Matching["unit"]): void {
  const before = days.get(line.day) ?? { value: ZERO, quantity: 0, rows: [] };
  const value = unit === "usd" ? (line.costUsd ?? ZERO) : countToDecimal(line.quantity ?? 0);
  days.set(line.day, {
    value: before.value.plus(value),
    quantity: before.quantity === null || line.quantity === null ? null : before.quantity + line.quantity,
    rows: [...before.rows, line.row],
  });
}

/** A day of a zone: `fromNs` inclusive, `toNs` exclusive. */
export type ZoneDay = { day: string; fromNs: bigint; toNs: bigint };
export const toZoneDays = (days: readonly string[], zone: string): ZoneDay[] =>
  days.map((day) => ({ day, fromNs: startOfDayNs(zone, day), toNs: startOfDayNs(zone, nextDay(day)) }));

/** What was used of a series, by days in order. Its cells are in order of time; those outside of the days are left out. */
export function sumDays(
  cells: readonly UsageCell[],
  unit: Matching["unit"],
  days: readonly ZoneDay[],
): Map<string, Rated> {
  const sums = new Map<string, Rated>();
  let next = 0;
  for (const { day, fromNs, toNs } of days) {
    const group: UsageCell[] = [];
    for (let cell = cells[next]; cell !== undefined && cell.startNs < toNs; cell = cells[next]) {
      if (cell.startNs >= fromNs) group.push(cell);
      next += 1;
    }
    if (group.length > 0) sums.set(day, toRated(group, unit));
  }
  return sums;
}

function toRated(cells: readonly UsageCell[], unit: Matching["unit"]): Rated {
  const quantity = cells.reduce((sum, cell) => sum + cell.quantity, 0);
  const value = unit === "usd" ? sumDecimals(cells.map(({ costUsd }) => costUsd)) : countToDecimal(quantity);
  return { value, quantity, unpricedQuantity: cells.reduce((sum, cell) => sum + cell.unpricedQuantity, 0) };
}
