/** What tests of reconciliation compare: lines, usage at a microdollar a token, and a ledger that keeps it in memory. */
import { countToDecimal, dayOf, formatDecimal, parseDecimal, startOfDayNs } from "@centspan/base";
import {
  type InvoiceLine,
  type Meter,
  type QuarantinedCalls,
  USAGE_NAMES,
  type UsageCell,
  type UsageQuestion,
} from "@centspan/model";
import { type Ledger, type Reconciliation, reconcile } from "../index.ts";

const HOUR_NS = 3_600_000_000_000n;
export const PRICE = parseDecimal("0.000001");
const dayNs = (day: string) => BigInt(Date.parse(`${day}T00:00:00Z`)) * 1_000_000n;

export type Use = {
  day: string;
  hour?: number;
  quantity?: number;
  team?: string;
  key?: string;
  model?: string;
  meter?: Meter;
};
export const cell = ({
  day,
  hour = 12,
  quantity = 1000,
  team = "payments",
  key = "ci",
  model = "gpt-4.1",
  meter = "input",
}: Use): UsageCell => ({
  startNs: dayNs(day) + BigInt(hour) * HOUR_NS,
  provider: "openai",
  team,
  key,
  model,
  meter,
  quantity,
  costUsd: PRICE.times(countToDecimal(quantity)),
  laterUsd: parseDecimal("0"),
  unpricedQuantity: 0,
});
export const line = (use: Partial<InvoiceLine> & { day: string }, usd = "0.001"): InvoiceLine => ({
  row: "row",
  provider: "openai",
  project: "payments",
  key: "ci",
  model: "gpt-4.1-2025-04-14",
  meter: "input",
  quantity: null,
  cost: { usd: parseDecimal(usd), decimals: usd.split(".")[1]?.length ?? 0 },
  kind: "usage",
  description: "",
  ...use,
});
/** A ledger of these cells, each of which is within a quarter of an hour; what it was asked is noted. */
export function keepLedger(
  cells: readonly UsageCell[],
  asked: UsageQuestion[] = [],
  held: readonly QuarantinedCalls[] = [],
): Ledger {
  const startOf = ({ startNs }: UsageCell, { cells: length }: UsageQuestion): bigint =>
    length === "quarters" ? startNs : startOfDayNs(length.daysOf, dayOf(length.daysOf, startNs));
  return {
    listNames: async (name, provider) =>
      cells.filter((one) => one.provider === provider).map((one) => (name === "team" ? one.team : one.key)),
    async sumUsage(question) {
      asked.push(question);
      const { range, providers, by, only } = question;
      return cells
        .filter(({ startNs }) => startNs >= range.fromNs && startNs < range.toNs)
        .filter(({ provider }) => providers.includes(provider))
        .map((one) => ({
          ...one,
          ...Object.fromEntries(USAGE_NAMES.map((name) => [name, by.includes(name) ? one[name] : ""])),
        }))
        .filter((one) => only?.some((names) => USAGE_NAMES.every((name) => names[name] === one[name])) ?? true)
        .map((one) => ({ ...one, startNs: startOf(one, question) }))
        .sort((a, b) => Number(a.startNs - b.startNs));
    },
    countQuarantined: async () => [...held],
  };
}
export const run = (lines: InvoiceLine[], cells: UsageCell[], aliases: [string, string][] = []) =>
  reconcile(lines, keepLedger(cells), { aliases: new Map(aliases), timeZone: "UTC" });
export const brief = ({ differences }: Reconciliation) =>
  differences.map(({ cause, days, difference }) => [cause, days.length, formatDecimal(difference)]);
/** Each once, in the order of causes. */
export const causes = ({ differences }: Reconciliation) => [...new Set(differences.map(({ cause }) => cause))];
