/** One run's balance sheet: what was paid, and what of it was useful, repeated, failed or not looked at. */
import type { BalanceRow, Provenance } from "@centspan/model";
import { isZero, toGeometry } from "../format/decimal-text.ts";
import { formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatSeconds, formatShare } from "../format/format-quantity.ts";
import type { WasteBar, WasteSectionId } from "./prepare-waste.ts";

export type BalanceLine = { tone: WasteSectionId; amount: string; share: string | null; bar: WasteBar };
export type BalanceCause = BalanceLine & {
  cause: string;
  layer: BalanceRow["layers"][number]["layer"];
  /** Null where no time was lost. */
  time: string | null;
  items: number;
  provenance: Provenance | null;
};

export type Balance = {
  paid: string;
  useful: BalanceLine;
  causes: BalanceCause[];
  /** Null where all of it was looked at. */
  notAnalysed: BalanceLine | null;
  twice: string;
  twiceShare: string | null;
  time: string | null;
};

const describeTime = (seconds: number): string | null => (seconds === 0 ? null : formatSeconds(seconds));

export function prepareBalance(balance: BalanceRow): Balance {
  const { paidUsd, usefulUsd, repeatedUsd, notAnalysedUsd, repeatedSeconds } = balance;
  const decimals = Math.max(4, headlineDecimals(paidUsd));
  const paid = toGeometry(paidUsd);
  let leftPct = 0;
  const line = (tone: WasteSectionId, usd: string): BalanceLine => {
    const bar = { leftPct, widthPct: paid === 0 ? 0 : (toGeometry(usd) / paid) * 100 };
    leftPct += bar.widthPct;
    return { tone, amount: formatMoney(usd, decimals), share: formatShare(usd, paidUsd), bar };
  };
  // In the order of the bar: each line starts where the last one ended.
  const useful = line("useful", usefulUsd);
  const causes = balance.causes.map(({ cause, layer, kind, costUsd, seconds, items, provenance }) => ({
    ...line(kind === "failed" ? "failed" : layer, costUsd),
    ...{ cause, layer, items, provenance },
    time: describeTime(seconds),
  }));
  return {
    paid: formatMoney(paidUsd, decimals),
    useful,
    causes,
    notAnalysed: isZero(notAnalysedUsd) ? null : line("not_analysed", notAnalysedUsd),
    twice: formatMoney(repeatedUsd, decimals),
    twiceShare: formatShare(repeatedUsd, paidUsd),
    time: describeTime(repeatedSeconds),
  };
}
