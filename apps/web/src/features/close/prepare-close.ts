/** A month and its statement as texts to draw, and what stands between it and its close. Pure. */
import type { AuditRow, PeriodRow } from "@centspan/model";
import { formatCount, formatDateMinute, formatMoney, type Language, parseInstantNs } from "@centspan/ui";

export type StatementRow = {
  /** "" for what no team owns. */
  team: string;
  owner: string | null;
  lines: string;
  exact: string;
  /** Signed, as an accountant reads it. */
  rounding: string;
  amount: string;
};

/** Each of them has to hold before a month can be closed. */
export type Step = { id: "ended" | "rated" | "known" | "closed"; done: boolean; at: string | null };

export type CloseView = {
  period: string;
  isClosed: boolean;
  /** What is billed: in cents where closed, exact where open. */
  total: string;
  exactTotal: string;
  /** With every decimal that it has. */
  wholeTotal: string;
  lines: string;
  unallocated: string;
  unpriced: number;
  quarantined: number;
  rows: StatementRow[];
  steps: Step[];
  /** Older and newer months, this one among them. */
  months: { period: string; isClosed: boolean; isThis: boolean }[];
  events: { key: string; at: string; actor: string; action: string; subject: string }[];
};

const STATEMENT_DECIMALS = 6;
const CENTS = 2;

export function prepareClose(
  periods: readonly PeriodRow[],
  chosen: PeriodRow,
  audit: readonly AuditRow[],
  { nowMs, ratedThrough, language }: { nowMs: number; ratedThrough: string | null; language: Language },
): CloseView {
  const isClosed = chosen.status === "closed";
  const decimals = isClosed ? CENTS : STATEMENT_DECIMALS;
  const endNs = parseInstantNs(chosen.to);
  const hasEnded = BigInt(nowMs) * 1_000_000n >= endNs;
  const isRated = ratedThrough !== null && parseInstantNs(ratedThrough) >= endNs;
  const unowned = chosen.lines.find(({ team }) => team === "");
  return {
    period: chosen.period,
    isClosed,
    total: formatMoney(isClosed ? chosen.amountUsd : chosen.exactUsd, decimals),
    exactTotal: formatMoney(chosen.exactUsd, STATEMENT_DECIMALS),
    wholeTotal: formatMoney(chosen.exactUsd, chosen.exactUsd.split(".")[1]?.length ?? 0),
    lines: formatCount(chosen.lines.reduce((sum, { lines }) => sum + lines, 0)),
    unallocated: formatMoney(unowned?.exactUsd ?? "0", CENTS),
    unpriced: chosen.unpricedCalls,
    quarantined: chosen.quarantinedCalls,
    rows: chosen.lines.map((line) => ({
      team: line.team,
      owner: line.owner,
      lines: formatCount(line.lines),
      exact: formatMoney(line.exactUsd, STATEMENT_DECIMALS),
      rounding: `${line.roundingUsd.startsWith("-") || line.roundingUsd === "0" ? "" : "+"}${formatMoney(line.roundingUsd, STATEMENT_DECIMALS)}`,
      amount: formatMoney(line.amountUsd, CENTS),
    })),
    steps: [
      { id: "ended", done: isClosed || hasEnded, at: formatDateMinute(endNs, language) },
      { id: "rated", done: isClosed || isRated, at: null },
      { id: "known", done: chosen.unpricedCalls + chosen.quarantinedCalls === 0, at: null },
      {
        id: "closed",
        done: isClosed,
        at: chosen.closedAt === null ? null : formatDateMinute(parseInstantNs(chosen.closedAt), language),
      },
    ],
    months: periods.map(({ period, status }) => ({
      period,
      isClosed: status === "closed",
      isThis: period === chosen.period,
    })),
    events: audit.map(({ at, actor, action, subject }, index) => ({
      key: `${at} ${index}`,
      at: formatDateMinute(parseInstantNs(at), language),
      actor,
      action,
      subject,
    })),
  };
}
