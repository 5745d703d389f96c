/**
 * Months and their close. A month is closed once: after its end, when all that was received in it is rated, after those
 * before it in which there is anything. Its statement is summed up while nobody writes, and stays.
 */
import { makeStatement } from "@centspan/attribution";
import { CentspanError, dayOf, formatDecimal, formatInstant, normaliseTimeZone, sumDecimals } from "@centspan/base";
import {
  type BillingPeriod,
  type ClosedPeriod,
  type CommitmentLine,
  findBillingPeriod,
  nameActor,
  nextMonth,
  type PeriodBooks,
  type PeriodRow,
  periodRowSchema,
  periodSchema,
  type Statement,
} from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute, parseInput } from "../route.ts";
import { type CommitmentBooks, readCommitmentBooks, spreadPeriod } from "./spread-period.ts";

type Scope = { deps: ApiDeps; caller: Caller };

const readName = (params: Record<string, string>): string => parseInput(periodSchema, params.period, "period");

export const listPeriods = defineRoute({
  id: "listPeriods",
  method: "GET",
  path: "/periods",
  summary:
    "The month that is to be closed next, as it stands, then the closed ones with their statements, newest first",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(periodRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    const { workspace } = caller;
    const books = await deps.control.readPeriodBooks(workspace);
    const [last] = books.closed;
    const timeZone = await deps.control.readTimeZone(workspace);
    const now = monthOf(timeZone, deps.clock.nowNs());
    const next = await findNextMonth(deps, workspace, timeZone, books);
    const following = last === undefined ? now : nextMonth(last.period);
    // A call that says to be of next year is none of what is to be closed next.
    const open = findBillingPeriod(timeZone, next !== null && next <= now ? next : following);
    const rows = [
      toRow(open, await sumUp({ deps, caller }, open)),
      ...books.closed.map((period) => toRow(period, period)),
    ];
    return { data: rows, nextCursor: null };
  },
});

export const readPeriod = defineRoute({
  id: "readPeriod",
  method: "GET",
  path: "/periods/{period}",
  summary: "A month's statement by team: as it was closed, or as it stands",
  needs: "figures.read",
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
  needs: "periods.write",
  query: z.strictObject({}),
  body: z.strictObject({
    acceptUnknown: z.boolean().default(false).describe("close although the cost of some calls is not known"),
  }),
  answer: periodRowSchema,
  async run({ deps, caller, params, body: { acceptUnknown } }) {
    const { workspace, principal } = caller;
    const period = findBillingPeriod(await deps.control.readTimeZone(workspace), readName(params));
    await requireComplete(deps, period);
    // Under the lock nothing is asked of Postgres, which may have no connection left for it.
    const { prices } = await readCommitmentBooks({ deps, caller });
    const closed = await deps.control.closePeriod(workspace, period, nameActor(principal), async (books) => {
      await deps.warehouse.waitForWriters(workspace);
      requireNext(period, await findNextMonth(deps, workspace, period.timeZone, books), books.closed[0]);
      const statement = await sumUp({ deps, caller }, period, { ...books, prices });
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
  needs: "periods.write",
  query: z.strictObject({}),
  body: z.strictObject({ owner: z.string().trim().min(1).max(200) }),
  answer: periodRowSchema,
  async run({ deps, caller, params, body: { owner } }) {
    const name = readName(params);
    await deps.control.assignUnallocated(caller.workspace, name, owner, nameActor(caller.principal));
    const { period, statement } = await findPeriod({ deps, caller }, name);
    return toRow(period, statement);
  },
});

export const readBillingTimeZone = defineRoute({
  id: "readBillingTimeZone",
  method: "GET",
  path: "/billing-time-zone",
  summary: "Whose calendar the months follow",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ timeZone: z.string() }),
  run: async ({ deps, caller }) => ({ timeZone: await deps.control.readTimeZone(caller.workspace) }),
});

export const setBillingTimeZone = defineRoute({
  id: "setBillingTimeZone",
  method: "PUT",
  path: "/billing-time-zone",
  summary: "Whose calendar the months follow, until the first of them is closed",
  needs: "periods.write",
  query: z.strictObject({}),
  body: z.strictObject({ timeZone: z.string() }),
  answer: z.object({ timeZone: z.string() }),
  async run({ deps, caller, body }) {
    const timeZone = normaliseTimeZone(body.timeZone);
    if (timeZone === null) {
      throw new CentspanError("invalid_request", "body.timeZone: is not an IANA time zone", { field: "body.timeZone" });
    }
    await deps.control.setTimeZone(caller.workspace, timeZone, nameActor(caller.principal));
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

async function sumUp({ deps, caller }: Scope, period: BillingPeriod, known?: CommitmentBooks): Promise<Statement> {
  const { workspace } = caller;
  const books = known ?? (await readCommitmentBooks({ deps, caller }));
  const [sums, unknown, { lines: commitments }] = await Promise.all([
    deps.warehouse.sumTeams(workspace, period),
    deps.warehouse.countUnknownCosts(workspace, period),
    spreadPeriod({ deps, caller }, period, books),
  ]);
  return { lines: makeStatement(sums, commitments), commitments, ...unknown, unratedUnits: books.unratedUnits };
}

function refuse({ period }: BillingPeriod, why: string): never {
  throw new CentspanError("conflict", `period: ${period} ${why}`, { field: "period" });
}

async function requireComplete(deps: ApiDeps, period: BillingPeriod): Promise<void> {
  const { toNs } = period;
  if (deps.clock.nowNs() < toNs) refuse(period, `ends at ${formatInstant(toNs)}`);
  const rated = await deps.control.readJob("rating");
  if (rated === null) refuse(period, "is not rated yet: no worker has run");
  if (rated.watermarkNs < toNs)
    refuse(period, `is not rated to its end yet: rating has come to ${formatInstant(rated.watermarkNs)}`);
}

/** Months in which there is nothing need not be closed one by one: they are with the one after them. */
function requireNext(period: BillingPeriod, next: string | null, last: ClosedPeriod | undefined): void {
  if (next !== null && next < period.period)
    refuse(period, `comes after a month that is open: ${next} is to be closed first`);
  if (last !== undefined) return;
  if (next === null) refuse(period, "can't be closed: there is neither spend nor a commitment yet");
  if (next > period.period)
    refuse(period, `comes before all spend and commitments: the first month with some is ${next}`);
}

/** The first that is not closed and has spend, a correction or a commitment; null where there is none. */
async function findNextMonth(
  deps: ApiDeps,
  workspace: string,
  timeZone: string,
  { closed: [last], commitments }: Pick<PeriodBooks, "closed" | "commitments">,
): Promise<string | null> {
  const first = last === undefined ? "" : nextMonth(last.period);
  const held = commitments.filter(({ to }) => to === undefined || to > `${first}-01`);
  const months = held.map(({ from }) => (from < first ? first : from.slice(0, 7)));
  const postedNs = await (last === undefined
    ? deps.warehouse.readFirstPostedNs(workspace)
    : deps.warehouse.readNextPostedNs(workspace, last.toNs));
  if (postedNs !== null) months.push(monthOf(timeZone, postedNs));
  return months.toSorted()[0] ?? null;
}

function requireKnown({ unpricedCalls, quarantinedCalls, unratedUnits }: Statement): void {
  if (unpricedCalls + quarantinedCalls + unratedUnits === 0) return;
  throw new CentspanError(
    "conflict",
    `acceptUnknown: the cost of some calls is not known, and they are in no line: ${unpricedCalls} without a price, ${quarantinedCalls} in quarantine, and those of ${unratedUnits} traces that could not be rated`,
    { field: "acceptUnknown" },
  );
}

function toRow(
  period: BillingPeriod | ClosedPeriod,
  { lines, commitments, unpricedCalls, quarantinedCalls, unratedUnits }: Statement,
): PeriodRow {
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
    unratedUnits,
    lines: lines.map(({ team, lines: count, exactUsd, amountUsd, owner }) => ({
      team,
      lines: count,
      exactUsd: formatDecimal(exactUsd),
      roundingUsd: formatDecimal(amountUsd.minus(exactUsd)),
      amountUsd: formatDecimal(amountUsd),
      owner,
    })),
    commitments: commitments.toSorted(byName).map(({ payPerTokenUsd, costUsd, ...same }) => ({
      ...same,
      payPerTokenUsd: formatDecimal(payPerTokenUsd),
      costUsd: formatDecimal(costUsd),
    })),
  };
}

function byName(a: CommitmentLine, b: CommitmentLine): number {
  const [nameA, nameB] = [a, b].map(({ commitment, team, status }) => JSON.stringify([commitment, team, status]));
  return (nameA ?? "") < (nameB ?? "") ? -1 : 1;
}
