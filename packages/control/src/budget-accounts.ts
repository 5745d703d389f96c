/**
 * Accounts of budgets, for the processes that spend. Invariant: what was spent and what all processes hold exceed the limit
 * only by what was spent beyond what had been held for it.
 * What a process holds is worked out anew with each of its visits: what it needs, and while much is left, some calls more.
 * Close to the limit that is nothing, so that no process sits on what another one could use.
 */
import { assert, createId, type Decimal, formatDecimal, ZERO } from "@centspan/base";
import type { BudgetAccounts, BudgetState, BudgetVisit } from "@centspan/model";
import { and, asc, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { readUsd, toBudget } from "./budget-store.ts";
import { budgetAccounts, budgetAlerts, budgetLeases, budgets } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, type Transaction, transact } from "./transact.ts";

/** A slice is at most this part of what is left, and no more than so many calls. */
const SHARE = 16;
const MOST_CALLS = 100;
const ALERTS_AT_ONCE = 50;
const FORGOTTEN_AT_ONCE = 10_000;

export function createBudgetAccounts(db: Database): BudgetAccounts {
  return {
    async visitBudgetAccount(visit) {
      try {
        return await transact(db, (tx) => visitAccount(tx, visit));
      } catch (thrown) {
        // The budget went away a moment ago.
        if (violatedConstraint(thrown) === "budget_accounts_budget") return null;
        throw thrown;
      }
    },

    async raiseBudgetAlerts(alerts) {
      if (alerts.length === 0) return;
      const rows = alerts.map(({ budgetId, limitUsd, spentUsd, forecastUsd, ...alert }) => ({
        ...alert,
        id: createId("alert"),
        budget: budgetId,
        limitUsd: formatDecimal(limitUsd),
        spentUsd: formatDecimal(spentUsd),
        forecastUsd: forecastUsd && formatDecimal(forecastUsd),
      }));
      // What was told of another limit says nothing of this one.
      await db
        .insert(budgetAlerts)
        .values(rows)
        .onConflictDoUpdate({
          target: [
            budgetAlerts.budget,
            budgetAlerts.subject,
            budgetAlerts.from,
            budgetAlerts.reason,
            budgetAlerts.channel,
          ],
          set: {
            id: sql`excluded.id`,
            limitUsd: sql`excluded.limit_usd`,
            spentUsd: sql`excluded.spent_usd`,
            forecastUsd: sql`excluded.forecast_usd`,
            raisedAt: sql`excluded.raised_at`,
            claimedUntil: null,
            closedAt: null,
          },
          setWhere: sql`${budgetAlerts.limitUsd} <> excluded.limit_usd`,
        });
    },

    async claimBudgetAlerts(channels, forMs) {
      const due = db
        .select({ id: budgetAlerts.id })
        .from(budgetAlerts)
        .where(
          and(
            isNull(budgetAlerts.closedAt),
            inArray(budgetAlerts.channel, [...channels]),
            gt(budgetAlerts.raisedAt, sql`now() - interval '1 day'`),
            or(isNull(budgetAlerts.claimedUntil), lt(budgetAlerts.claimedUntil, sql`now()`)),
          ),
        )
        .orderBy(asc(budgetAlerts.raisedAt))
        .limit(ALERTS_AT_ONCE)
        .for("update", { skipLocked: true });
      const claimed = await db
        .update(budgetAlerts)
        .set({ claimedUntil: sql`now() + ${forMs} * interval '1 millisecond'` })
        .where(inArray(budgetAlerts.id, due))
        .returning();
      const ids = claimed.map(({ budget }) => budget);
      const owners = ids.length === 0 ? [] : await db.select().from(budgets).where(inArray(budgets.id, ids));
      return claimed.flatMap(({ id, budget, claimedUntil: _until, closedAt: _closed, ...alert }) =>
        owners
          .filter((owner) => owner.id === budget)
          .map((owner) => ({
            ...alert,
            alertId: id,
            budgetId: budget,
            limitUsd: readUsd(alert.limitUsd),
            spentUsd: readUsd(alert.spentUsd),
            forecastUsd: alert.forecastUsd === null ? null : readUsd(alert.forecastUsd),
            budget: toBudget(owner),
          })),
      );
    },

    async closeBudgetAlert(alertId) {
      await db.update(budgetAlerts).set({ closedAt: sql`now()` }).where(eq(budgetAlerts.id, alertId));
    },

    async forgetBudgetAccounts(before) {
      const { budget, subject, from } = budgetAccounts;
      const old = db
        .select({ budget, subject, from })
        .from(budgetAccounts)
        .where(and(gt(from, new Date(0)), lt(from, before)))
        .limit(FORGOTTEN_AT_ONCE);
      for (let forgotten = 0; ; ) {
        const { rowCount } = await db.delete(budgetAccounts).where(sql`(${budget}, ${subject}, ${from}) IN ${old}`);
        forgotten += rowCount ?? 0;
        if ((rowCount ?? 0) < FORGOTTEN_AT_ONCE) return forgotten;
      }
    },
  };
}

type Found = { limit: string; spent: string; others: string; held: string };

async function visitAccount(tx: Transaction, { budgetId, subject, from, ...visit }: BudgetVisit): Promise<BudgetState> {
  const id = { budget: budgetId, subject, from };
  const isAccount = and(
    eq(budgetAccounts.budget, budgetId),
    eq(budgetAccounts.subject, subject),
    eq(budgetAccounts.from, from),
  );
  const isLease = and(
    eq(budgetLeases.budget, budgetId),
    eq(budgetLeases.subject, subject),
    eq(budgetLeases.from, from),
  );
  // Writing the row is what locks it.
  await tx
    .insert(budgetAccounts)
    .values({ ...id, spentUsd: "0" })
    .onConflictDoUpdate({
      target: [budgetAccounts.budget, budgetAccounts.subject, budgetAccounts.from],
      set: { spentUsd: sql`${budgetAccounts.spentUsd}` },
    });
  const [spent, aside, next] = [toSql(visit.spentUsd), toSql(visit.asideUsd), toSql(visit.nextUsd)];
  const sums = sumUp(visit.wantedUsd).map(formatDecimal);
  const wanted = sql`${`{${sums.join(",")}}`}::numeric[]`;
  // A statement of its own: it sees what those that had the lock before have written.
  const { rows } = await tx.execute<Found>(sql`
    WITH forgotten AS (
      DELETE FROM ${budgetLeases} WHERE ${isLease} AND holder <> ${visit.holder}
      AND expires_at <= statement_timestamp() - interval '1 hour'
    ), known AS (
      SELECT FROM ${budgetLeases} WHERE ${isLease} AND holder = ${visit.holder} AND visit >= ${visit.visit}
    ), account AS (
      UPDATE ${budgetAccounts}
      SET spent_usd = spent_usd + CASE WHEN EXISTS (SELECT FROM known) THEN 0 ELSE ${spent} END
      WHERE ${isAccount} RETURNING spent_usd
    ), others AS (
      SELECT coalesce(sum(held_usd), 0) AS held FROM ${budgetLeases}
      WHERE ${isLease} AND holder <> ${visit.holder} AND expires_at > statement_timestamp()
    ), state AS (
      SELECT limit_usd, spent_usd, others.held AS others, limit_usd - spent_usd - others.held AS left_usd
      FROM ${budgets}, account, others WHERE id = ${budgetId}
    ), granted AS (
      SELECT *, ${aside} + coalesce((SELECT max(total) FROM unnest(${wanted}) AS total WHERE ${aside} + total <= left_usd), 0)
        AS needed FROM state
    ), sliced AS (
      SELECT *, least(trunc((left_usd - needed) / ${SHARE}, 12), ${next} * ${MOST_CALLS}) AS slice FROM granted
    ), written AS (
      INSERT INTO ${budgetLeases} (budget, subject, period_from, holder, held_usd, visit, expires_at)
      SELECT ${budgetId}, ${subject}, ${from.toISOString()}::timestamptz, ${visit.holder},
        greatest(0, least(left_usd, needed + CASE WHEN slice < ${next} THEN 0 ELSE slice END)),
        ${visit.visit}, statement_timestamp() + ${visit.ttlMs} * interval '1 millisecond'
      FROM sliced
      ON CONFLICT (budget, subject, period_from, holder)
      DO UPDATE SET held_usd = excluded.held_usd, visit = excluded.visit, expires_at = excluded.expires_at
      RETURNING held_usd
    )
    SELECT limit_usd AS limit, spent_usd AS spent, others, held_usd AS held FROM state, written`);
  const [found] = rows;
  assert(found, "a budget whose account is locked is there");
  const heldUsd = readUsd(found.held);
  // Who comes to say that there is nothing will not come again.
  const isLast = heldUsd.eq(ZERO) && visit.spentUsd.eq(ZERO) && visit.asideUsd.eq(ZERO);
  if (isLast) await tx.delete(budgetLeases).where(and(isLease, eq(budgetLeases.holder, visit.holder)));
  return {
    limitUsd: readUsd(found.limit),
    spentUsd: readUsd(found.spent),
    reservedUsd: readUsd(found.others).plus(heldUsd),
    heldUsd,
  };
}

/** Each with those before it. */
function sumUp(amounts: readonly Decimal[]): Decimal[] {
  let total = ZERO;
  return amounts.map((amount) => {
    total = total.plus(amount);
    return total;
  });
}

const toSql = (amount: Decimal) => sql`${formatDecimal(amount)}::numeric`;
