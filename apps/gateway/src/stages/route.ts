/** Stage api.route: which replica answers, and in which protocol it is asked. Each attempt is routed anew. */
import { setAttributes } from "@centspan/telemetry";
import { type Exchange, runStage } from "../exchange.ts";
import { readWish } from "../identity.ts";
import type { Route, RouteRequest, Upstreams } from "../upstream/upstreams.ts";

export type RouteInput = Pick<RouteRequest, "model" | "promptTokens" | "readIds" | "tried">;

/**
 * `take` gets the choice at once, so that whoever is routed next sees what was taken. Throws `not_found` for a model that
 * nobody serves, `invalid_request` where nothing that serves it can take it.
 */
export function route<T>(
  exchange: Exchange,
  upstreams: Upstreams,
  input: RouteInput,
  take: (chosen: Route) => T,
): Promise<T> {
  return runStage(exchange, "api.route", (span) => {
    const { model, promptTokens, readIds, tried } = input;
    const chosen = upstreams.choose({ model, promptTokens, readIds, tried, ...readWishes(exchange) });
    setAttributes(span, {
      "centspan.route.candidates": chosen.candidates,
      "centspan.route.choice": chosen.replica.upstream.origin,
      "centspan.route.reason": chosen.reason,
      "centspan.route.protocol": chosen.translation?.to.id,
    });
    return take(chosen);
  });
}

/** What of a request decides who may answer it, beside its model and its length. */
export const readWishes = ({
  protocol,
  headers,
}: Exchange): Pick<RouteRequest, "protocol" | "region" | "accelerator"> => ({
  protocol,
  region: readWish(headers, "x-centspan-region"),
  accelerator: readWish(headers, "x-centspan-accelerator"),
});
