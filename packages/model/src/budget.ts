/**
 * Budgets: what a key, a team, a type of task or a run may spend, in a period or in all its life. A subject `*` is each of them
 * by itself. A call counts in the period in which it began.
 * Money that may be spent next is leased to the process that spends it: what all of them hold and what was spent never
 * exceed the limit together.
 */
import { countToDecimal, type Decimal, dayOf, normaliseTimeZone, quantiseLine, startOfDayNs } from "@centspan/base";
import { z } from "zod";

export const BUDGET_SCOPES = ["key", "team", "taskType", "run"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];
export const BUDGET_PERIODS = ["day", "week", "month", "life"] as const;
/** `hard` refuses what does not fit, `soft` only counts and alerts. */
export const BUDGET_ENFORCEMENTS = ["hard", "soft"] as const;
/** What becomes of a call that has no price, under a hard budget. */
export const UNPRICED_RULES = ["refuse", "allow"] as const;
/** Each of them by itself. */
export const EACH_SUBJECT = "*";

/** What a task, its type, a run, a key or a team may be called. No longer than a key of Postgres takes, which takes no NUL either. */
export const isSubject = (text: string): boolean => /^[^\p{Cc}\p{Cs}]{1,512}$/u.test(text);
export const SUBJECT_RULE = "must be 1 to 512 characters, none of them a control character";

const limitSchema = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,12})?$/, "must be an amount such as 12.50, as text")
  .refine((text) => !/^[0.]*$/.test(text), "must be more than 0");

export const budgetInputSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be lower-case letters, digits, dots, dashes; at most 63"),
  scope: z.enum(BUDGET_SCOPES),
  subject: z
    .string()
    .refine(isSubject, SUBJECT_RULE)
    .describe("id of the key, team, task type or run; * is each by itself"),
  period: z.enum(BUDGET_PERIODS),
  timeZone: z
    .string()
    .refine((name) => normaliseTimeZone(name) !== null, "must be an IANA time zone such as Europe/Berlin")
    .default("UTC"),
  limitUsd: limitSchema,
  enforcement: z.enum(BUDGET_ENFORCEMENTS).default("hard"),
  unpriced: z.enum(UNPRICED_RULES).default("refuse"),
  alerts: z
    .strictObject({
      /** Percent of the limit. */
      thresholds: z.array(z.int().min(1).max(1000)).max(10).default([80, 100]),
      /** When the period is going to end above the limit, at the pace so far. */
      forecast: z.boolean().default(true),
      webhook: z
        .url({ protocol: /^https?$/ })
        .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must have no control characters")
        .optional(),
      email: z.array(z.email()).max(10).default([]),
    })
    .prefault({}),
});
export type BudgetInput = z.output<typeof budgetInputSchema>;

export type Budget = Omit<BudgetInput, "limitUsd"> & {
  budgetId: string;
  workspace: string;
  limitUsd: Decimal;
  createdAt: Date;
};

/** One subject of a budget in one period. `from` is the epoch for what has no periods. */
export type BudgetAccountId = { budgetId: string; subject: string; from: Date };
/** `reservedUsd` is held by processes for calls that are under way or may come next. */
export type BudgetAccount = BudgetAccountId & { spentUsd: Decimal; reservedUsd: Decimal };

/** What one process says to an account. */
export type BudgetVisit = BudgetAccountId & {
  /** The process; the same as long as it lives. */
  holder: string;
  /** Counts its visits from 1. One whose answer was lost is repeated under its number, and what was spent counts once. */
  visit: number;
  /** Spent since its last visit. */
  spentUsd: Decimal;
  /** For calls that are under way: what it has to hold. */
  asideUsd: Decimal;
  /** For calls that wait, the smallest first: each is held whole or not at all. */
  wantedUsd: readonly Decimal[];
  /** What its next call may cost: it gets some of these besides while much is left. 0 for none. */
  nextUsd: Decimal;
  ttlMs: number;
};

/** `heldUsd`: what the process may spend from now on, until it has not come for `ttlMs`. */
export type BudgetState = { limitUsd: Decimal; spentUsd: Decimal; reservedUsd: Decimal; heldUsd: Decimal };

export type AlertChannel = "log" | "webhook" | "email";
/** `reason` is a threshold in percent, or `forecast`. Each channel gets its own: one that is away makes no other say it twice. */
export type BudgetAlert = BudgetAccountId & {
  reason: string;
  channel: AlertChannel;
  limitUsd: Decimal;
  spentUsd: Decimal;
  forecastUsd: Decimal | null;
};
/** One that is to be sent, with what is needed for it. */
export type DueBudgetAlert = BudgetAlert & { alertId: string; raisedAt: Date; budget: Budget };

/** Changes are in the audit log, with their actor. */
export type BudgetStore = {
  listBudgets(workspace: string): Promise<Budget[]>;
  /** A name is unique within a workspace: `conflict` otherwise. */
  createBudget(workspace: string, budget: BudgetInput, actor: string): Promise<Budget>;
  /** In place of what it was; what was spent stays where scope, period and time zone stay. Throws `not_found`. */
  replaceBudget(workspace: string, budgetId: string, budget: BudgetInput, actor: string): Promise<Budget>;
  deleteBudget(workspace: string, budgetId: string, actor: string): Promise<void>;
  /** Those that spent most of each first. */
  listBudgetAccounts(periods: readonly Omit<BudgetAccountId, "subject">[], most: number): Promise<BudgetAccount[]>;
};

/** What gateways need besides. */
export type BudgetAccounts = {
  /** Whole or not at all, however many processes come at once. Null where there is no such budget any more. */
  visitBudgetAccount(visit: BudgetVisit): Promise<BudgetState | null>;
  /** Each is raised once for a limit. */
  raiseBudgetAlerts(alerts: readonly BudgetAlert[]): Promise<void>;
  /** Alerts to send by one of the channels: nobody else gets them for `forMs`. Those that were not sent by then come again, for a day. */
  claimBudgetAlerts(channels: readonly AlertChannel[], forMs: number): Promise<DueBudgetAlert[]>;
  closeBudgetAlert(alertId: string): Promise<void>;
  /** With their alerts: all of periods that began before. What counts in all its life stays. Returns how many there were. */
  forgetBudgetAccounts(before: Date): Promise<number>;
};

/** `toMs` is exclusive, and null for what never ends. */
export type BudgetPeriod = { fromMs: number; toMs: number | null };

export function findBudgetPeriod(
  { period, timeZone }: Pick<Budget, "period" | "timeZone">,
  atMs: number,
): BudgetPeriod {
  if (period === "life") return { fromMs: 0, toMs: null };
  const first = new Date(`${dayOf(timeZone, BigInt(Math.floor(atMs)) * NS_PER_MS)}T00:00:00Z`);
  if (period === "week") first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  if (period === "month") first.setUTCDate(1);
  const next = new Date(first);
  if (period === "month") next.setUTCMonth(first.getUTCMonth() + 1);
  else next.setUTCDate(first.getUTCDate() + (period === "week" ? 7 : 1));
  const startMs = (day: Date): number => Number(startOfDayNs(timeZone, day.toISOString().slice(0, 10)) / NS_PER_MS);
  return { fromMs: startMs(first), toMs: startMs(next) };
}

const NS_PER_MS = 1_000_000n;

/** Of a period before which nothing is foretold. */
const LEAST_SHARE = 10;

/**
 * What will have been spent at the end if it goes on as in the period so far; null where nothing ends, and in the first tenth of
 * a period. A gateway knows no more than what was spent: for forecasts with an interval there is the ledger.
 */
export function projectSpend(spentUsd: Decimal, { fromMs, toMs }: BudgetPeriod, nowMs: number): Decimal | null {
  if (toMs === null || (nowMs - fromMs) * LEAST_SHARE < toMs - fromMs || nowMs >= toMs) return null;
  return quantiseLine(spentUsd.times(countToDecimal(toMs - fromMs)).div(countToDecimal(nowMs - fromMs)));
}

export const budgetRowSchema = z.object({
  budgetId: z.string(),
  ...budgetInputSchema.shape,
  createdAt: z.string(),
  from: z.string().describe("begin of the period that is now"),
  resetsAt: z.string().nullable().describe("its end; null where nothing ends"),
  subjects: z
    .array(
      z.object({
        subject: z.string(),
        spentUsd: z.string(),
        reservedUsd: z.string(),
        remainingUsd: z.string().describe("below 0 where more was spent than the limit"),
        forecastUsd: z.string().nullable().describe("at the end of the period, at the pace so far"),
      }),
    )
    .describe("the hundred that spent most in this period"),
});
export type BudgetRow = z.infer<typeof budgetRowSchema>;
