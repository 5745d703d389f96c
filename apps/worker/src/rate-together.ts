/**
 * Some units of one workspace, read, derived, rated and stored together. Calls that a trace had before and no longer has
 * were a parent's sum, whose children have come since, or a record's that turned out to be about a span: they are taken
 * back. Repeating it changes nothing.
 */
import { callAttributes, deriveReports } from "@centspan/attribution";
import type { Call, Ledger, Usage, UsageFeed, UsageUnit } from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import type { Claims } from "./claims.ts";
import type { PricedBy } from "./price-books.ts";
import { runInTurns } from "./run-in-turns.ts";

const CALLS_PER_PART = 10_000;

export type RatingRules = { readPrices(workspace: string): Promise<PricedBy> };

export type RatingContext = {
  feed: Pick<UsageFeed, "readUsage">;
  ledger: Ledger;
  claims: Claims;
  rules: RatingRules;
  workspace: string;
  /** Calls before that are not questioned: the spans that they were derived from may be deleted. */
  keptFromNs: bigint;
};

type Rated = {
  calls: number;
  /** All that were rated whole. */
  traceIds: readonly string[];
  /** What each of the units consists of, by its position. */
  records: readonly number[];
};

export async function rateTogether(context: RatingContext, units: readonly UsageUnit[]): Promise<Rated> {
  const usages = await context.feed.readUsage(context.workspace, units, callAttributes);
  const traceIds = [...new Set(usages.flatMap((usage) => usage.traceIds))];
  const records = usages.map(({ spans, logs }) => spans.length + logs.length);
  let calls = 0;
  for await (const stored of storeByParts(context, usages)) calls += stored;
  return { calls, traceIds, records };
}

/**
 * Gives the number of calls of each part when it is stored. Other units may be rated between parts: a response that they
 * tell of too is settled with what they said, and what is taken back is what stands at these traces in the end.
 * It empties the list of usages, so that no more is in memory than is still needed.
 */
export async function* storeByParts(
  { ledger, claims, rules, workspace, keptFromNs }: RatingContext,
  usages: Usage[],
): AsyncGenerator<number> {
  const traceIds = [...new Set(usages.flatMap((usage) => usage.traceIds))];
  const reported: Call[] = [];
  const replaced: string[] = [];
  for (let usage = usages.shift(); usage; usage = usages.shift()) {
    const derived = await runInTurns(deriveReports(usage));
    for (const call of derived.calls) if (call.traceId !== "" || isWhole(usage, call)) reported.push(call);
    replaced.push(...derived.replaced);
  }
  // In the order in which the store has them: each part then is one stretch of its table.
  reported.sort((a, b) => (a.callId < b.callId ? -1 : a.callId > b.callId ? 1 : 0));
  const callIds = reported.map(({ callId }) => callId);
  const { book, ratingRunId } = await rules.readPrices(workspace);
  while (reported.length > 0) {
    const part = reported.splice(0, CALLS_PER_PART);
    const stored = await ledger.readCalls(workspace, claims.listUnheard(workspace, part));
    const calls = claims.settle(workspace, part, stored).map((call) => rateCall(call, book, ratingRunId));
    await ledger.insertCalls(workspace, calls);
    yield calls.length;
  }
  const gone = new Set(await ledger.listCallIds(workspace, traceIds, keptFromNs));
  for (const callId of replaced) gone.add(callId);
  for (const callId of callIds) gone.delete(callId);
  if (gone.size > 0) await ledger.withdrawCalls(workspace, [...gone]);
}

/** Whether all is here that a record outside of traces could belong to: if it belongs to nothing, it is a call. */
const isWhole = ({ wholeWithin }: Usage, { atNs }: Call): boolean =>
  wholeWithin !== null && atNs >= wholeWithin.fromNs && atNs <= wholeWithin.toNs;
