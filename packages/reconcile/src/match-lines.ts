/**
 * An invoice's lines and the ledger's usage on the same terms: series of days, each of one provider, project, key, model and
 * meter, as far as the file tells them apart. What a file does not know, such as our keys, is not compared.
 */
import { countToDecimal, type Decimal, nextDay, startOfDayNs, sumDecimals, ZERO } from "@centspan/base";
import { INVOICE_METER_OF, type InvoiceLine, type InvoiceMeter, type UsageCell, type UsageName } from "@centspan/model";

/** Names of the provider's projects and keys, each with ours: the team and the key. */
export type Aliases = ReadonlyMap<string, string>;

export type Dimension = "project" | "key" | "model" | "meter";
const DIMENSIONS: readonly Dimension[] = ["project", "key", "model", "meter"];
/** A value of each dimension that is compared; "" where the file says nothing, or it is not compared. */
export type Terms = { provider: string } & Record<Dimension, string>;

/** `repeated`: lines that say the same as an earlier one, to the last field. */
export type Invoiced = { value: Decimal; quantity: number | null; rows: string[]; repeated: InvoiceLine[] };
export type Rated = { value: Decimal; later: Decimal; quantity: number; unpricedQuantity: number };
/** By day (YYYY-MM-DD). Cells are in order of time. */
export type Series = { name: string; terms: Terms; invoiced: Map<string, Invoiced>; cells: UsageCell[] };
/** A day of a series that differs. */
export type Gap = { series: Series; day: string; invoiced: Invoiced; rated: Rated };

/** What amounts are: money, or tokens and requests where the file has no costs. */
export type Unit = "usd" | "units";

export type Compared = {
  compared: Dimension[];
  /** Dimensions that the file has, but with none of our names. */
  strange: Dimension[];
};

/** `isKnown`: whether any of these is a team or a key of ours. */
export async function chooseDimensions(
  lines: readonly InvoiceLine[],
  aliases: Aliases,
  isKnown: (name: "team" | "key", values: ReadonlySet<string>) => Promise<boolean>,
): Promise<Compared> {
  const given = DIMENSIONS.filter((dimension) => lines.some((line) => line[dimension] !== null));
  const strange: Dimension[] = [];
  // Of models and meters an unknown one is news; of projects and keys it is more likely that nobody said whose they are.
  for (const dimension of given) {
    if (dimension !== "project" && dimension !== "key") continue;
    const values = lines.filter((line) => line[dimension] !== null).map((line) => readTerm(line, dimension, aliases));
    if (!(await isKnown(dimension === "key" ? "key" : "team", new Set(values)))) strange.push(dimension);
  }
  return { compared: given.filter((dimension) => !strange.includes(dimension)), strange };
}

const NAME_OF: Readonly<Record<Dimension, UsageName | null>> = {
  project: "team",
  key: "key",
  model: "model",
  meter: null,
};
/** What the ledger is to tell apart for it. */
export const listNames = (compared: readonly Dimension[]): UsageName[] =>
  compared.flatMap((dimension) => NAME_OF[dimension] ?? []);

export type Matching = {
  series: Series[];
  unit: Unit;
  /** Of usage of ours, by the names of series. */
  group(cells: readonly UsageCell[]): Map<string, UsageCell[]>;
};

export function matchLines(
  lines: readonly InvoiceLine[],
  cells: readonly UsageCell[],
  compared: readonly Dimension[],
  aliases: Aliases,
): Matching {
  const unit = lines.some(({ cost }) => cost !== null) ? "usd" : "units";
  const tells = listTold(lines, compared);
  const termsOf = (cell: UsageCell): Terms =>
    toTerms(cell.provider, (dimension) =>
      tells(cell.provider, INVOICE_METER_OF[cell.meter], dimension) ? termOf(cell, dimension) : "",
    );
  // There are very many cells, of a few series.
  const names = new Map<string, string>();
  const group = (some: readonly UsageCell[]) =>
    groupBy(some, (cell) => {
      const ours = [cell.provider, cell.team, cell.key, cell.model, cell.meter].join("\n");
      const name = names.get(ours) ?? nameOf(termsOf(cell));
      names.set(ours, name);
      return name;
    });
  const series = new Map<string, Series>();
  for (const [name, own] of group(cells)) {
    const [first] = own;
    if (first) series.set(name, { name, terms: termsOf(first), invoiced: new Map(), cells: own });
  }
  const said = new Set<string>();
  for (const line of lines) {
    const terms = toTerms(line.provider, (dimension) =>
      compared.includes(dimension) ? readTerm(line, dimension, aliases) : "",
    );
    const name = nameOf(terms);
    const one = series.get(name) ?? { name, terms, invoiced: new Map(), cells: [] };
    series.set(name, one);
    const text = JSON.stringify({ ...line, row: "" });
    addLine(one.invoiced, line, { unit, isRepeated: said.has(text) });
    said.add(text);
  }
  return { series: [...series.values()], unit, group };
}

const nameOf = (terms: Terms): string => JSON.stringify(Object.values(terms));

/**
 * Whether usage of a meter is told apart by a dimension: a fee such as that of web searches may name no model in a file
 * that otherwise does.
 */
function listTold(lines: readonly InvoiceLine[], compared: readonly Dimension[]) {
  const told = new Map<string, Set<Dimension>>();
  for (const line of lines) {
    if (line.meter === null) continue;
    const name = `${line.meter} ${line.provider}`;
    const dimensions = told.get(name) ?? new Set();
    told.set(name, dimensions);
    for (const dimension of compared) if (line[dimension] !== null) dimensions.add(dimension);
  }
  return (provider: string, meter: InvoiceMeter, dimension: Dimension): boolean =>
    told.get(`${meter} ${provider}`)?.has(dimension) ?? compared.includes(dimension);
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

/** `Claude Haiku 4.5`, `claude-haiku-4-5-20251001` and `anthropic/claude-haiku-4.5` are one. */
export const canonicalModel = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^[a-z]+\//, "")
    .replace(/[ ._]/g, "-")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

type Told = { unit: Unit; isRepeated: boolean };

function addLine(days: Map<string, Invoiced>, line: InvoiceLine, { unit, isRepeated }: Told): void {
  const day = days.get(line.day) ?? { value: ZERO, quantity: 0, rows: [], repeated: [] };
  days.set(line.day, day);
  day.value = day.value.plus(amountOf(line, unit));
  day.quantity = day.quantity === null || line.quantity === null ? null : day.quantity + line.quantity;
  day.rows.push(line.row);
  if (isRepeated) day.repeated.push(line);
}

export const amountOf = ({ cost, quantity }: InvoiceLine, unit: Unit): Decimal =>
  unit === "usd" ? (cost?.usd ?? ZERO) : countToDecimal(quantity ?? 0);

/** A day of a zone: `fromNs` inclusive, `toNs` exclusive. */
export type ZoneDay = { day: string; fromNs: bigint; toNs: bigint };
export const toZoneDays = (days: readonly string[], zone: string): ZoneDay[] =>
  days.map((day) => ({ day, fromNs: startOfDayNs(zone, day), toNs: startOfDayNs(zone, nextDay(day)) }));

/** What was used of a series, day by day; of some days nothing. Cells outside of the days, which are in order, are left out. */
export function* walkDays(
  cells: readonly UsageCell[],
  unit: Unit,
  days: readonly ZoneDay[],
): Generator<[day: string, rated: Rated | undefined]> {
  let next = 0;
  for (const { day, fromNs, toNs } of days) {
    const group: UsageCell[] = [];
    for (let cell = cells[next]; cell !== undefined && cell.startNs < toNs; cell = cells[next]) {
      if (cell.startNs >= fromNs) group.push(cell);
      next += 1;
    }
    yield [day, group.length > 0 ? toRated(group, unit) : undefined];
  }
}

function toRated(cells: readonly UsageCell[], unit: Unit): Rated {
  const quantity = cells.reduce((sum, cell) => sum + cell.quantity, 0);
  const isUsd = unit === "usd";
  return {
    value: isUsd ? sumDecimals(cells.map(({ costUsd }) => costUsd)) : countToDecimal(quantity),
    later: isUsd ? sumDecimals(cells.map(({ laterUsd }) => laterUsd)) : ZERO,
    quantity,
    unpricedQuantity: cells.reduce((sum, cell) => sum + cell.unpricedQuantity, 0),
  };
}

export function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
