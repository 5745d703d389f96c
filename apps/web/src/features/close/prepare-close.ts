/** A month and its statement as texts to draw, and what stands between it and its close. Pure. */
import type { AuditRow, CommitmentLineRow, PeriodRow, Provenance } from "@centspan/model";
import {
  formatCount,
  formatDateMinute,
  formatDifference,
  formatMoney,
  type Language,
  parseInstantNs,
} from "@centspan/ui";

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

/** What a commitment comes to for a team: used, unused, or paid for later. */
export type CommitmentRow = {
  key: string;
  commitment: string;
  team: string;
  status: CommitmentLineRow["status"];
  /** Null where nothing was used that a price by the token would be of. */
  payPerToken: string | null;
  cost: string;
  provenance: Provenance;
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
  /** As its line of the statement says, once there is one. */
  unallocated: string;
  unpriced: number;
  quarantined: number;
  /** Traces and sessions. */
  unrated: number;
  rows: StatementRow[];
  /** Those of a commitment add up to what was paid for it in the month. */
  commitments: CommitmentRow[];
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
    unallocated: formatMoney((isClosed ? unowned?.amountUsd : unowned?.exactUsd) ?? "0", CENTS),
    unpriced: chosen.unpricedCalls,
    quarantined: chosen.quarantinedCalls,
    unrated: chosen.unratedUnits,
    rows: chosen.lines.map((line) => ({
      team: line.team,
      owner: line.owner,
      lines: formatCount(line.lines),
      exact: formatMoney(line.exactUsd, STATEMENT_DECIMALS),
      rounding: formatDifference(line.roundingUsd, STATEMENT_DECIMALS),
      amount: formatMoney(line.amountUsd, CENTS),
    })),
    commitments: chosen.commitments.map((line) => ({
      key: `${line.commitment} ${line.status} ${line.team}`,
      commitment: line.commitment,
      team: line.team,
      status: line.status,
      payPerToken: line.status === "used" ? formatMoney(line.payPerTokenUsd, STATEMENT_DECIMALS) : null,
      cost: formatMoney(line.costUsd, STATEMENT_DECIMALS),
      provenance: line.provenance,
    })),
    steps: [
      { id: "ended", done: isClosed || hasEnded, at: formatDateMinute(endNs, language) },
      { id: "rated", done: isClosed || isRated, at: null },
      {
        id: "known",
        done: chosen.unpricedCalls + chosen.quarantinedCalls + chosen.unratedUnits === 0,
        at: null,
      },
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
