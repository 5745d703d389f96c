/**
 * What a turn costs at list prices, for live budgets. The bill is what the gateway recorded: it knows the provider and
 * what was agreed with it.
 */
import type { Decimal } from "@centspan/base";
import { type Call, EMPTY_BUCKETS, EMPTY_CALL } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import type { TurnUsage } from "../transport/read-turn.ts";

/** Null where no list, or more than one, has a price for the model. */
export function priceTurn(model: string, usage: TurnUsage, atNs: bigint): Decimal | null {
  const offers = listPrices.cards.flatMap(({ provider }) => {
    const { costUsd } = rateCall(describeCall(provider, model, usage, atNs), listPrices, "budget");
    return costUsd === null ? [] : [costUsd];
  });
  return offers.length === 1 ? (offers[0] ?? null) : null;
}

const describeCall = (provider: string, model: string, usage: TurnUsage, atNs: bigint): Call => ({
  ...EMPTY_CALL,
  atNs,
  provider,
  model,
  buckets: {
    ...EMPTY_BUCKETS,
    input: usage.inputTokens - usage.cachedTokens,
    cacheRead: usage.cachedTokens,
    outputText: usage.outputTokens,
  },
  provenance: "estimated",
});
