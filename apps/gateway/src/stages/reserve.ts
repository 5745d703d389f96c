/**
 * Stage api.reserve: what the call may cost is set aside from the budgets that it counts in, priced as it will be billed. Each
 * attempt has its own, since each asks another server. Where no budget counts it, there is no stage.
 */
import { formatDecimal, ZERO } from "@centspan/base";
import { regionOf } from "@centspan/dialects";
import type { PriceBook, Principal } from "@centspan/model";
import { setAttributes } from "@centspan/telemetry";
import { type BoundedCall, boundCall } from "../budgets/bound-call.ts";
import type { Budgets, Concern } from "../budgets/budgets.ts";
import { priceBound, priceUsage } from "../budgets/price-usage.ts";
import { refuseUnpriced } from "../budgets/refuse.ts";
import { type Exchange, runStage } from "../exchange.ts";
import { describeSpender } from "../identity.ts";
import type { Used } from "./chat.ts";

export type ReserveOptions = { budgets: Budgets; readPrices(workspace: string): Promise<PriceBook> };

export type ReservedCall = { settle(used: Used): void; release(): void };

const NOTHING: ReservedCall = { settle: () => undefined, release: () => undefined };

/** Throws `budget_exceeded`, `budget_reserved` or `unpriced_model`. */
export async function reserve(
  exchange: Exchange,
  principal: Principal,
  call: BoundedCall,
  { budgets, readPrices }: ReserveOptions,
): Promise<ReservedCall> {
  const { keyId, team, workspace } = principal;
  const concerns = await budgets.find(describeSpender(principal, exchange.identity));
  if (concerns.length === 0) return NOTHING;
  const { request, replica } = call;
  return runStage(exchange, "api.reserve", async (span) => {
    const book = await readPrices(workspace);
    const priced = {
      provider: replica.upstream.provider,
      model: request.model,
      keyId,
      team: team ?? "",
      atNs: BigInt(Date.now()) * 1_000_000n,
      region: regionOf(replica.upstream.origin),
    };
    const bound = boundCall(exchange, call);
    const mostUsd = priceBound(priced, bound, book);
    if (mostUsd === null) refuseWhereUnpriced(concerns, request.model);
    const amountUsd = mostUsd ?? ZERO;
    setAttributes(span, {
      "centspan.budget.names": concerns.map(({ budget }) => budget.name),
      "centspan.budget.reserved_usd": formatDecimal(amountUsd),
    });
    const reservation = await budgets.reserve(concerns, amountUsd).finally(() => {
      const headroomUsd = budgets.headroomUsd(concerns);
      setAttributes(span, { "centspan.budget.headroom_usd": headroomUsd && formatDecimal(headroomUsd) });
    });
    return {
      settle(used) {
        if (!used.answered) return reservation.release();
        const usage = used.facts.usagePartial === true ? undefined : used.facts.usage;
        const seen = usage ?? estimateSeen(used, bound.outputTokens, call.tokens.total);
        const models = [used.facts.model ?? request.model, request.model];
        const [spentUsd = amountUsd] = models.flatMap(
          (model) => priceUsage({ ...priced, model }, seen, used.facts, book) ?? [],
        );
        reservation.settle(spentUsd);
      },
      release: reservation.release,
    };
  });
}

function refuseWhereUnpriced(concerns: readonly Concern[], model: string): void {
  const strict = concerns.find(({ budget }) => budget.enforcement === "hard" && budget.unpriced === "refuse");
  if (strict !== undefined) throw refuseUnpriced(strict.budget, strict.subject, model);
}

/** Pieces of an answer are one token or a few. */
const TOKENS_A_PIECE = 4;

/** Of an answer that broke off, or whose server says nothing of usage: the prompt, and what was seen of the answer. */
function estimateSeen({ facts, pieces }: Used, mostTokens: number, promptTokens: number) {
  const { input = promptTokens, output = 0, ...counts } = facts.usage ?? {};
  return { ...counts, input, output: Math.max(output, Math.min(mostTokens, pieces * TOKENS_A_PIECE)) };
}
