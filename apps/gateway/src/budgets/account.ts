/**
 * What this process knows of one account of a budget: how much of it it holds, and how much of that is set aside for calls.
 * While it holds enough, setting aside asks nobody. Invariant: what is set aside, and what was spent and not yet told, is
 * never more than what is held, but for calls that cost more than was set aside for them.
 */
import { CentspanError, createId, type Decimal, formatDecimal, ZERO } from "@centspan/base";
import type { BudgetAccountId, BudgetAccounts, BudgetState } from "@centspan/model";

export type Account = {
  /** Null when the amount is set aside; what is known of the account where it does not fit. Throws what the store throws. */
  setAside(amountUsd: Decimal): Promise<BudgetState | null>;
  /** An amount that was set aside is so no more, and this is what was spent of it. */
  settle(asideUsd: Decimal, spentUsd: Decimal): void;
  /** What is left of the limit, as it was known last; null before it is. */
  headroomUsd(): Decimal | null;
  /** Tells what was spent, and holds nothing more than is set aside. */
  close(): Promise<void>;
};

export type AccountOptions = {
  id: BudgetAccountId;
  /** A soft budget only counts. */
  isHard: boolean;
  store: Pick<BudgetAccounts, "visitBudgetAccount">;
  nowMs(): number;
  /** What the store said. */
  onState(state: BudgetState): void;
  /** Why the store takes nothing, though it is there. */
  report(thrown: unknown): void;
  /** Nothing is held, set aside or untold. */
  onIdle(): void;
};

/** What a process held is free again when it has not come for so long. */
export const LEASE_MS = 60_000;
/** After a call has ended, while some calls' worth is held, and to keep what is set aside. */
const WAIT_MS = { tell: 250, hold: 1_000, renew: LEASE_MS / 3 };
/** Since the last call, until none is expected next. */
const QUIET_MS = 5_000;
/** Between visits that fail: twice as long each time. */
const MOST_PAUSE_MS = LEASE_MS / 6;
/** A visit that the store refuses is repeated so often. */
const MOST_REFUSALS = 5;

type Waiting = { amountUsd: Decimal; answer(state: BudgetState | null): void; fail(thrown: unknown): void };

export function createAccount({ id, isHard, store, nowMs, onState, report, onIdle }: AccountOptions): Account {
  const holder = createId("gateway");
  let state: BudgetState | null = null;
  let heldUntilMs = 0;
  let asideUsd = ZERO;
  let untoldUsd = ZERO;
  let next = { amountUsd: ZERO, atMs: 0 };
  let waiting: Waiting[] = [];
  let visiting: Promise<void> | null = null;
  let timer: { dueMs: number; stop(): void } | null = null;
  let isClosed = false;
  let visits = 0;
  let failures = 0;
  let refusals = 0;
  /** In the last visit: the next says that there is nothing more, if so. */
  let toldUsd = ZERO;
  /** What the visit that is or was under way tells: until it is answered, it may have counted or not. */
  let telling: { visit: number; spentUsd: Decimal } | null = null;

  const heldUsd = (): Decimal => (state !== null && nowMs() < heldUntilMs ? state.heldUsd : ZERO);
  const fits = (amountUsd: Decimal): boolean => heldUsd().minus(asideUsd).minus(untoldUsd).gte(amountUsd);

  const visit = (): Promise<void> => {
    visiting ??= exchange();
    return visiting;
  };

  /** What comes while it is under way waits for the next: what was said to be needed has to stay true. */
  const exchange = async (): Promise<void> => {
    timer?.stop();
    timer = null;
    const asked = waiting.sort((a, b) => a.amountUsd.cmp(b.amountUsd));
    waiting = [];
    telling ??= { visit: ++visits, spentUsd: untoldUsd };
    const { spentUsd } = telling;
    const sentMs = nowMs();
    const isQuiet = isClosed || sentMs - next.atMs > QUIET_MS;
    try {
      const said = await store.visitBudgetAccount({
        ...id,
        ...telling,
        holder,
        asideUsd,
        wantedUsd: asked.map(({ amountUsd }) => amountUsd),
        nextUsd: isHard && !isQuiet ? next.amountUsd : ZERO,
        ttlMs: LEASE_MS,
      });
      visiting = null;
      telling = null;
      failures = 0;
      refusals = 0;
      toldUsd = spentUsd;
      untoldUsd = untoldUsd.minus(spentUsd);
      heldUntilMs = sentMs + LEASE_MS;
      state = said;
      for (const { amountUsd, answer } of asked) {
        // A budget that is gone refuses nothing.
        const taken = said === null || fits(amountUsd);
        if (taken) asideUsd = asideUsd.plus(amountUsd);
        answer(taken ? null : said);
      }
      if (said !== null) onState(said);
    } catch (thrown) {
      visiting = null;
      failures += 1;
      for (const { fail } of asked) fail(thrown);
      if (!(thrown instanceof CentspanError && thrown.code === "store_unavailable")) giveUp(thrown);
    }
    plan();
  };

  /** What it refuses for good can't be told, and what can't be told is not held against anybody. */
  const giveUp = (cause: unknown): void => {
    refusals += 1;
    const { budgetId, subject } = id;
    const what = `${formatDecimal(untoldUsd)} USD of budget ${budgetId}, ${JSON.stringify(subject)}`;
    report(new Error(`${what}: ${refusals < MOST_REFUSALS ? "can't be counted yet" : "are not counted"}`, { cause }));
    if (refusals < MOST_REFUSALS) return;
    refusals = 0;
    [state, telling, untoldUsd, toldUsd] = [null, null, ZERO, ZERO];
  };

  const plan = (): void => {
    if (waiting.length > 0) void visit();
    else if (untoldUsd.gt(ZERO)) visitWithin(WAIT_MS.tell);
    else if (heldUsd().gt(asideUsd) || toldUsd.gt(ZERO)) visitWithin(WAIT_MS.hold);
    else if (asideUsd.gt(ZERO)) visitWithin(WAIT_MS.renew);
    else onIdle();
  };

  const visitWithin = (ms: number): void => {
    const waitMs = Math.max(ms, failures === 0 ? 0 : Math.min(MOST_PAUSE_MS, WAIT_MS.tell * 2 ** failures));
    const dueMs = nowMs() + waitMs;
    if (isClosed || visiting !== null || (timer !== null && timer.dueMs <= dueMs)) return;
    timer?.stop();
    const timeout = setTimeout(() => void visit(), waitMs).unref();
    timer = { dueMs, stop: () => clearTimeout(timeout) };
  };

  return {
    setAside(amountUsd) {
      next = { amountUsd, atMs: nowMs() };
      if (!isHard) return Promise.resolve(null);
      if (visiting === null && fits(amountUsd)) {
        asideUsd = asideUsd.plus(amountUsd);
        return Promise.resolve(null);
      }
      return new Promise((answer, fail) => {
        waiting.push({ amountUsd, answer, fail });
        void visit();
      });
    },
    settle(amountUsd, spentUsd) {
      if (isHard) asideUsd = asideUsd.minus(amountUsd);
      untoldUsd = untoldUsd.plus(spentUsd);
      visitWithin(WAIT_MS.tell);
    },
    headroomUsd() {
      if (state === null) return null;
      const leftUsd = state.limitUsd.minus(state.spentUsd).minus(state.reservedUsd);
      return leftUsd.plus(heldUsd()).minus(asideUsd).minus(untoldUsd);
    },
    async close() {
      isClosed = true;
      await visiting;
      await visit();
      if (toldUsd.gt(ZERO)) await visit();
    },
  };
}
