/**
 * Where the money went: useful, paid twice by layer and cause, failed, not analysed; each bar starts where the last one
 * ended, and the end is spend. Must not: add causes to totals (the API answers those).
 */
import type { Provenance, WasteAnswer, WasteRow } from "@centspan/model";
import { addDecimals, compareDecimals, isZero, negate, toGeometry } from "../format/decimal-text.ts";
import { columnDecimals, formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatGrowth, formatSeconds, formatShare } from "../format/format-quantity.ts";

export type WasteBar = { leftPct: number; widthPct: number };

export type WasteLine = {
  amount: string;
  /** Time is lost, and no money. */
  isTimeOnly: boolean;
  ofSpend: string | null;
  time: string | null;
  /** Against the period before; null where there was nothing or nobody asked. */
  growth: string | null;
  bar: WasteBar;
};
export type CauseLine = WasteLine & {
  cause: string;
  calls: number;
  runs: number;
  provenance: Provenance | null;
  evidence: WasteRow["topEvidence"];
};

const SECTIONS = ["useful", "harness", "api", "inference", "failed", "not_analysed"] as const;
export type WasteSectionId = (typeof SECTIONS)[number];
export type WasteSection = { id: WasteSectionId; sum: WasteLine; causes: CauseLine[] };

type Figure = { amount: string; ofSpend: string | null; growth: string | null };
export type Waste = {
  figures: { twice: Figure; useful: Figure; failed: Figure; notAnalysed: Figure; time: string };
  /** Sections with nothing in them are left out. */
  sections: WasteSection[];
  spend: string;
  growth: string | null;
  /** Where useful spend ends on the axis. */
  usefulPct: number;
};

const sum = (rows: readonly WasteRow[]): string => addDecimals(rows.map(({ costUsd }) => costUsd));
const lose = (rows: readonly WasteRow[]): number => rows.reduce((all, { seconds }) => all + seconds, 0);

/** Dearest first; of those that cost nothing, the slowest. */
const compareRows = (a: WasteRow, b: WasteRow): number =>
  compareDecimals(b.costUsd, a.costUsd) || b.seconds - a.seconds || (a.group < b.group ? -1 : 1);

const sectionOf = ({ kind, layer }: WasteRow): WasteSectionId | "" => (kind === "failed" ? "failed" : layer);

function describeGrowth(nowUsd: string, beforeUsd: string | undefined): string | null {
  return beforeUsd === undefined ? null : formatGrowth(addDecimals([nowUsd, negate(beforeUsd)]), beforeUsd);
}

type Totals = WasteAnswer["total"];
const amountOf = (id: WasteSectionId, rows: readonly WasteRow[], total: Totals): string => {
  if (id === "useful") return total.usefulUsd;
  if (id === "not_analysed") return total.notAnalysedUsd;
  return id === "failed" ? total.failedUsd : sum(rows.filter((row) => sectionOf(row) === id));
};

/** `before` is the same question of the period before; null where there is none. */
export function prepareWaste(now: WasteAnswer, before: WasteAnswer | null): Waste {
  const { total } = now;
  const decimals = columnDecimals([total.spendUsd]);
  const spend = toGeometry(total.spendUsd);
  const widthOf = (usd: string): number => (spend === 0 ? 0 : (toGeometry(usd) / spend) * 100);
  let leftPct = 0;
  const line = (usd: string, seconds: number, beforeUsd: string | undefined): WasteLine => ({
    amount: formatMoney(usd, decimals),
    isTimeOnly: isZero(usd) && seconds > 0,
    ofSpend: formatShare(usd, total.spendUsd),
    time: seconds === 0 ? null : formatSeconds(seconds),
    growth: describeGrowth(usd, beforeUsd),
    bar: { leftPct, widthPct: widthOf(usd) },
  });
  const sections = SECTIONS.flatMap((id): WasteSection[] => {
    const rows = now.data.filter((row) => sectionOf(row) === id).toSorted(compareRows);
    const usd = amountOf(id, rows, total);
    if (rows.length === 0 && isZero(usd)) return [];
    const own = line(usd, lose(rows), before === null ? undefined : amountOf(id, before.data, before.total));
    const causes = rows.map((row) => {
      const earlier = before?.data.find(({ group }) => group === row.group);
      const { group: cause, calls, runs, provenance, topEvidence: evidence } = row;
      const part = line(row.costUsd, row.seconds, before === null ? undefined : (earlier?.costUsd ?? "0"));
      leftPct += part.bar.widthPct;
      return { ...part, cause, calls, runs, provenance, evidence };
    });
    // Whatever rounding of widths left over is not carried on.
    leftPct = own.bar.leftPct + own.bar.widthPct;
    return [{ id, sum: own, causes }];
  });
  return {
    figures: describeTotals(total, before?.total),
    sections,
    spend: formatMoney(total.spendUsd, decimals),
    growth: describeGrowth(total.spendUsd, before?.total.spendUsd),
    usefulPct: widthOf(total.usefulUsd),
  };
}

function describeTotals(total: Totals, before: Totals | undefined): Waste["figures"] {
  const figure = (usd: string, beforeUsd: string | undefined): Figure => ({
    amount: formatMoney(usd, headlineDecimals(usd)),
    ofSpend: formatShare(usd, total.spendUsd),
    growth: describeGrowth(usd, beforeUsd),
  });
  return {
    twice: figure(total.wasteUsd, before?.wasteUsd),
    useful: figure(total.usefulUsd, before?.usefulUsd),
    failed: figure(total.failedUsd, before?.failedUsd),
    notAnalysed: figure(total.notAnalysedUsd, before?.notAnalysedUsd),
    time: formatSeconds(total.seconds),
  };
}

export type WasteGroupLine = {
  group: string;
  amount: string;
  ofWaste: string | null;
  barPct: number;
  time: string | null;
  calls: number;
  runs: number;
  provenance: Provenance | null;
  evidence: WasteRow["topEvidence"];
};

/** By key, team or task: whose money it was, the most first. */
export function prepareWasteGroups(rows: readonly WasteRow[]): WasteGroupLine[] {
  const sorted = rows.toSorted(compareRows);
  const decimals = columnDecimals(rows.map(({ costUsd }) => costUsd));
  const all = sum(rows);
  const most = toGeometry(sorted[0]?.costUsd ?? "0");
  return sorted.map(({ group, costUsd, seconds, calls, runs, provenance, topEvidence }) => ({
    group,
    amount: formatMoney(costUsd, decimals),
    ofWaste: formatShare(costUsd, all),
    barPct: most === 0 ? 0 : (toGeometry(costUsd) / most) * 100,
    time: seconds === 0 ? null : formatSeconds(seconds),
    calls,
    runs,
    provenance,
    evidence: topEvidence,
  }));
}
