/**
 * What a run has used, over all its threads and processes, against its limits. A turn counts once, by its thread and
 * number, however often it is told of. Limits are looked at between turns, so the last turn may go beyond one. Turns are
 * limited by thread, everything else over the whole run too.
 */
import { type Decimal, parseDecimal, sumDecimals } from "@centspan/base";
import { LIMIT_NAMES, type LimitName, type Limits } from "./limits.ts";

export type TurnSpending = { threadId: string; turn: number; tokens: number; costUsd: Decimal | null };

export type Spending = {
  usd: Decimal;
  tokens: number;
  turns: number;
  seconds: number;
  /** Turns that have no price, and are therefore not part of `usd`. */
  unpricedTurns: number;
};

/** What has no price can't be held to a limit in USD. */
export type Reached = LimitName | "unpriced";

export type Budget = {
  readonly limits: Limits;
  note(turn: TurnSpending): void;
  /** With everything that shares in it. */
  spent(): Spending;
  /** The first limit that has been reached. */
  reached(): Reached | null;
  /** Part of it, for another thread with limits of its own. */
  share(threadId: string, limits: Limits): Budget;
};

export type BudgetOptions = {
  threadId: string;
  limits: Limits;
  /** Used by earlier processes of the run. */
  secondsBefore?: number;
  /** Monotonic. */
  nowMs?(): number;
};

export function createBudget({ threadId, limits, secondsBefore = 0, nowMs = readMs }: BudgetOptions): Budget {
  const turns = new Map<string, TurnSpending>();
  const open = (thread: string, own: Limits, whole: Budget | null, before: number): Budget => {
    const beganMs = nowMs();
    const spent = (): Spending => {
      const all = [...turns.values()];
      return sumUp(
        whole === null ? all : all.filter((turn) => turn.threadId === thread),
        (nowMs() - beganMs) / 1000 + before,
      );
    };
    const reachedOwn = (): Reached | null => {
      const ownTurns = [...turns.values()].filter((turn) => turn.threadId === thread).length;
      return findReached(own, { ...spent(), turns: ownTurns });
    };
    return {
      limits: own,
      note: (turn) => void turns.set(`${turn.threadId}:${turn.turn}`, turn),
      spent,
      reached: () => {
        const ofRun = whole?.reached() ?? null;
        return reachedOwn() ?? (ofRun === "turns" ? null : ofRun);
      },
      share: (other, itsLimits) => open(other, itsLimits, budget, 0),
    };
  };
  const budget = open(threadId, limits, null, secondsBefore);
  return budget;
}

const readMs = (): number => performance.now();

function sumUp(turns: readonly TurnSpending[], seconds: number): Spending {
  const prices = turns.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    usd: sumDecimals(prices),
    tokens: turns.reduce((sum, { tokens }) => sum + tokens, 0),
    turns: turns.length,
    seconds,
    unpricedTurns: turns.length - prices.length,
  };
}

function findReached(limits: Limits, spent: Spending): Reached | null {
  if (limits.usd !== undefined && spent.unpricedTurns > 0) return "unpriced";
  return LIMIT_NAMES.find((name) => isReached(name, limits, spent)) ?? null;
}

function isReached(name: LimitName, limits: Limits, spent: Spending): boolean {
  if (name === "usd") return limits.usd !== undefined && spent.usd.gte(parseDecimal(limits.usd));
  const limit = limits[name];
  return limit !== undefined && spent[name] >= limit;
}
