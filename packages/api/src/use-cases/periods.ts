/**
 * Months and their close. A month is closed once: after its end, when all that was received in it is rated, after those
 * before it. Its statement is summed up while nobody writes, and stays.
 */
import { makeStatement } from "@centspan/attribution";
import { CentspanError, dayOf, formatDecimal, formatInstant, normaliseTimeZone, sumDecimals } from "@centspan/base";
import {
  type BillingPeriod,
  type ClosedPeriod,
  findBillingPeriod,
  type PeriodRow,
  periodRowSchema,
  periodSchema,
  type Statement,
} from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute, parseInput } from "../route.ts";

type Scope = { deps: ApiDeps; caller: Caller };

const readName = (params: Record<string, string>): string => parseInput(periodSchema, params.period, "period");

export const listPeriods = defineRoute({
  id: "listPeriods",
  method: "GET",
  path: "/periods",
  summary:
    "The month that is to be closed next, as it stands, then the closed ones with their statements, newest first",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(periodRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    const { workspace } = caller;
    const closed = await deps.control.listClosedPeriods(workspace);
    const timeZone = await deps.control.readTimeZone(workspace);
    const nextNs = closed[0]?.toNs ?? (await deps.warehouse.readFirstPostedNs(workspace)) ?? deps.clock.nowNs();
    const open = findBillingPeriod(timeZone, monthOf(timeZone, nextNs));
    const rows = [toRow(open, await sumUp({ deps, caller }, open)), ...closed.map((period) => toRow(period, period))];
    return { data: rows, nextCursor: null };
  },
});

export const readPeriod = defineRoute({
  id: "readPeriod",
  method: "GET",
  path: "/periods/{period}",
  summary: "A month's statement by team: as it was closed, or as it stands",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: periodRowSchema,
  async run({ deps, caller, params }) {
    const { period, statement } = await findPeriod({ deps, caller }, readName(params));
    return toRow(period, statement);
  },
});

export const closePeriod = defineRoute({
  id: "closePeriod",
  method: "POST",
  path: "/periods/{period}/close",
  summary: "Closes a month for good: its lines never change again, what changes later is corrections in the open month",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject({
    acceptUnknown: z.boolean().default(false).describe("close although the cost of some calls is not known"),
  }),
  answer: periodRowSchema,
  async run({ deps, caller, params, body: { acceptUnknown } }) {
    const { workspace, principal } = caller;
    const period = findBillingPeriod(await deps.control.readTimeZone(workspace), readName(params));
    await requireComplete({ deps, caller }, period);
    const closed = await deps.control.closePeriod(workspace, period, principal.keyName, async () => {
      const statement = await sumUp({ deps, caller }, period);
      if (!acceptUnknown) requireKnown(statement);
      return statement;
    });
    return toRow(closed, closed);
  },
});

export const assignUnallocated = defineRoute({
  id: "assignUnallocated",
  method: "PUT",
  path: "/periods/{period}/owner",
  summary: "Who answers for what no team owns of a closed month",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject({ owner: z.string().trim().min(1).max(200) }),
  answer: periodRowSchema,
  async run({ deps, caller, params, body: { owner } }) {
    const name = readName(params);
    await deps.control.assignUnallocated(caller.workspace, name, owner, caller.principal.keyName);
    const { period, statement } = await findPeriod({ deps, caller }, name);
    return toRow(period, statement);
  },
});

export const setBillingTimeZone = defineRoute({
  id: "setBillingTimeZone",
  method: "PUT",
  path: "/billing-time-zone",
  summary: "Whose calendar the months follow, until the first of them is closed",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject({ timeZone: z.string() }),
  answer: z.object({ timeZone: z.string() }),
  async run({ deps, caller, body }) {
    const timeZone = normaliseTimeZone(body.timeZone);
    if (timeZone === null) {
      throw new CentspanError("invalid_request", "body.timeZone: is not an IANA time zone", { field: "body.timeZone" });
    }
    await deps.control.setTimeZone(caller.workspace, timeZone);
    return { timeZone };
  },
});

const monthOf = (timeZone: string, ns: bigint): string => dayOf(timeZone, ns).slice(0, 7);

/** The month as it was closed, or as it stands. */
export async function findPeriod(
  { deps, caller }: Scope,
  name: string,
): Promise<{ period: BillingPeriod | ClosedPeriod; statement: Statement }> {
  const closed = (await deps.control.listClosedPeriods(caller.workspace)).find(({ period }) => period === name);
  if (closed !== undefined) return { period: closed, statement: closed };
  const period = findBillingPeriod(await deps.control.readTimeZone(caller.workspace), name);
  return { period, statement: await sumUp({ deps, caller }, period) };
}

async function sumUp({ deps, caller: { workspace } }: Scope, period: BillingPeriod): Promise<Statement> {
  const [sums, unknown] = await Promise.all([
    deps.warehouse.sumTeams(workspace, period),
    deps.warehouse.countUnknownCosts(workspace, period),
  ]);
  return { lines: makeStatement(sums), ...unknown };
}

async function requireComplete(
  { deps, caller: { workspace } }: Scope,
  { period, timeZone, fromNs, toNs }: BillingPeriod,
) {
  const refuse = (why: string): never => {
    throw new CentspanError("conflict", `period: ${period} ${why}`, { field: "period" });
  };
  if (deps.clock.nowNs() < toNs) refuse(`ends at ${formatInstant(toNs)}`);
  const rated = await deps.control.readJob("rating");
  if (rated !== null && rated.watermarkNs < toNs) {
    refuse(`is not rated to its end yet: rating has come to ${formatInstant(rated.watermarkNs)}`);
  }
  const [closed, firstNs] = await Promise.all([
    deps.control.listClosedPeriods(workspace),
    deps.warehouse.readFirstPostedNs(workspace),
  ]);
  if (closed.length === 0 && firstNs !== null && firstNs < fromNs) {
    refuse(`comes after a month with spend that is open: ${monthOf(timeZone, firstNs)} is to be closed first`);
  }
}

function requireKnown({ unpricedCalls, quarantinedCalls }: Statement): void {
  if (unpricedCalls + quarantinedCalls === 0) return;
  throw new CentspanError(
    "conflict",
    `acceptUnknown: the cost of some calls is not known, and they are in no line: ${unpricedCalls} without a price, ${quarantinedCalls} in quarantine`,
    { field: "acceptUnknown" },
  );
}

function toRow(period: BillingPeriod | ClosedPeriod, { lines, unpricedCalls, quarantinedCalls }: Statement): PeriodRow {
  const closed = "closedAt" in period ? period : null;
  return {
    period: period.period,
    timeZone: period.timeZone,
    from: formatInstant(period.fromNs),
    to: formatInstant(period.toNs),
    status: closed === null ? "open" : "closed",
    closedAt: closed?.closedAt.toISOString() ?? null,
    closedBy: closed?.closedBy ?? null,
    exactUsd: formatDecimal(sumDecimals(lines.map(({ exactUsd }) => exactUsd))),
    amountUsd: formatDecimal(sumDecimals(lines.map(({ amountUsd }) => amountUsd))),
    unpricedCalls,
    quarantinedCalls,
    lines: lines.map(({ team, lines: count, exactUsd, amountUsd, owner }) => ({
      team,
      lines: count,
      exactUsd: formatDecimal(exactUsd),
      roundingUsd: formatDecimal(amountUsd.minus(exactUsd)),
      amountUsd: formatDecimal(amountUsd),
      owner,
    })),
  };
}
