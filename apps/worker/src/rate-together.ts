/**
 * Some units of one workspace, read, derived, rated and stored together. Calls that a trace had before and no longer has
 * were a parent's sum, whose children have come since, or a record's that turned out to be about a span: they are taken
 * back. Repeating it changes nothing.
 */
import { type DeriveOptions, deriveReports } from "@centspan/attribution";
import type { Call, Ledger, RateCard, Usage, UsageFeed, UsageUnit } from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import type { Claims } from "./claims.ts";

export type RatingRules = { cards: readonly RateCard[]; ratingRunId: string } & DeriveOptions;

type RatingContext = {
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

export async function rateTogether(
  { feed, ledger, claims, rules, workspace, keptFromNs }: RatingContext,
  units: readonly UsageUnit[],
): Promise<Rated> {
  const usages = await feed.readUsage(workspace, units);
  const derived = usages.map((usage) => {
    const { calls, replaced } = deriveReports(usage, rules);
    return { calls: calls.filter((call) => call.traceId !== "" || isWhole(usage, call)), replaced };
  });
  const reported = derived.flatMap(({ calls }) => calls);
  const stored = await ledger.readCalls(workspace, claims.listUnheard(workspace, reported));
  const calls = claims
    .settle(workspace, reported, stored)
    .map((call) => rateCall(call, rules.cards, rules.ratingRunId));
  const traceIds = [...new Set(usages.flatMap((usage) => usage.traceIds))];
  const before = await ledger.listCallIds(workspace, traceIds, keptFromNs);
  const gone = new Set(before);
  for (const { replaced } of derived) for (const callId of replaced) gone.add(callId);
  for (const { callId } of calls) gone.delete(callId);
  if (calls.length > 0) await ledger.insertCalls(workspace, calls);
  if (gone.size > 0) await ledger.withdrawCalls(workspace, [...gone]);
  return { calls: calls.length, traceIds, records: usages.map(({ spans, logs }) => spans.length + logs.length) };
}

/** Whether all is here that a record outside of traces could belong to: if it belongs to nothing, it is a call. */
const isWhole = ({ wholeWithin }: Usage, { atNs }: Call): boolean =>
  wholeWithin !== null && atNs >= wholeWithin.fromNs && atNs <= wholeWithin.toNs;
