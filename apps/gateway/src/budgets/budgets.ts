/**
 * Which budgets a call counts in, and whether it fits in all of them. Amounts are set aside before a call and settled after it;
 * a call counts in the period in which it began. Must not: know prices or protocols.
 */
import { type Decimal, ZERO } from "@centspan/base";
import {
  type Budget,
  type BudgetAccounts,
  type BudgetPeriod,
  type BudgetScope,
  type BudgetStore,
  EACH_SUBJECT,
  findBudgetPeriod,
} from "@centspan/model";
import { createCredentialCache } from "@centspan/service";
import { type Account, createAccount } from "./account.ts";
import type { Alerts } from "./alerts/open-alerts.ts";
import { refuseOverBudget } from "./refuse.ts";

/** Whose call it is; what is not known is undefined. */
export type Spender = { workspace: string } & Record<BudgetScope, string | undefined>;

/** One budget, as far as a call has to do with it. */
export type Concern = { budget: Budget; subject: string; period: BudgetPeriod };

export type Reservation = {
  amountUsd: Decimal;
  /** Counts once: what comes after it, and a release too, changes nothing. */
  settle(spentUsd: Decimal): void;
  release(): void;
};

export type Budgets = {
  find(spender: Spender): Promise<Concern[]>;
  /** What is left of the one that has the least left, as far as this process knows; undefined before it does. */
  headroomUsd(concerns: readonly Concern[]): Decimal | undefined;
  /** All or nothing. Throws `budget_exceeded`, or `budget_reserved` where calls under way may leave enough. */
  reserve(concerns: readonly Concern[], amountUsd: Decimal): Promise<Reservation>;
  close(): Promise<void>;
};

export type BudgetsOptions = {
  store: Pick<BudgetStore, "listBudgets"> & Pick<BudgetAccounts, "visitBudgetAccount">;
  alerts: Pick<Alerts, "consider">;
  /** Where it goes that something was not counted. */
  report(thrown: unknown): void;
  nowMs?(): number;
  /** Wall clock, in milliseconds. */
  todayMs?(): number;
};

export function openBudgets(options: BudgetsOptions): Budgets {
  const { store, alerts, report, nowMs = () => performance.now(), todayMs = Date.now } = options;
  const budgets = createCredentialCache({ find: (workspace) => store.listBudgets(workspace), nowMs });
  const accounts = new Map<string, { account: Account; budget: Budget }>();
  const periods = new Map<string, BudgetPeriod>();

  const findPeriod = (budget: Budget): BudgetPeriod => {
    const key = `${budget.period} ${budget.timeZone}`;
    const known = periods.get(key);
    const atMs = todayMs();
    if (known !== undefined && known.fromMs <= atMs && atMs < (known.toMs ?? Number.POSITIVE_INFINITY)) return known;
    const found = findBudgetPeriod(budget, atMs);
    periods.set(key, found);
    return found;
  };

  const openAccount = ({ budget, subject, period }: Concern): Account => {
    const key = nameAccount({ budget, subject, period });
    const known = accounts.get(key);
    if (known !== undefined) {
      known.budget = budget;
      return known.account;
    }
    const id = { budgetId: budget.budgetId, subject, from: new Date(period.fromMs) };
    const account = createAccount({
      id,
      isHard: budget.enforcement === "hard",
      store,
      nowMs,
      report,
      onState: (state) => alerts.consider({ budget: opened.budget, id, period, nowMs: todayMs() }, state),
      onIdle() {
        if (accounts.get(key) === opened) accounts.delete(key);
      },
    });
    const opened = { account, budget };
    accounts.set(key, opened);
    return account;
  };

  return {
    async find(spender) {
      const all = (await budgets.find(spender.workspace)) ?? [];
      return all.flatMap((budget) => {
        const subject = spender[budget.scope];
        const counts = subject !== undefined && (budget.subject === EACH_SUBJECT || budget.subject === subject);
        return counts ? [{ budget, subject, period: findPeriod(budget) }] : [];
      });
    },

    headroomUsd(concerns) {
      const known = concerns.flatMap((one) => accounts.get(nameAccount(one))?.account.headroomUsd() ?? []);
      return known.toSorted((a, b) => a.cmp(b))[0];
    },

    async reserve(concerns, amountUsd) {
      const taken: Account[] = [];
      let isOpen = true;
      const settle = (spentUsd: Decimal): void => {
        if (!isOpen) return;
        isOpen = false;
        for (const account of taken) account.settle(amountUsd, spentUsd);
      };
      try {
        for (const one of concerns) {
          const account = openAccount(one);
          const refused = await account.setAside(amountUsd);
          if (refused !== null) throw refuseOverBudget(one, refused, amountUsd);
          taken.push(account);
        }
      } catch (thrown) {
        settle(ZERO);
        throw thrown;
      }
      return { amountUsd, settle, release: () => settle(ZERO) };
    },

    async close() {
      await Promise.all([...accounts.values()].map(({ account }) => account.close()));
    },
  };
}

const nameAccount = ({ budget: { budgetId, enforcement }, subject, period }: Concern): string =>
  JSON.stringify([budgetId, enforcement, subject, period.fromMs]);
