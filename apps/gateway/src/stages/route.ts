/** Stage api.route: which upstream answers. There is one; the span already says how it was chosen. */
import { setAttributes } from "@centspan/telemetry";
import { type Exchange, runStage } from "../exchange.ts";
import type { Upstream } from "../upstream/upstream.ts";

export function route(exchange: Exchange, upstreams: readonly [Upstream, ...Upstream[]]): Promise<Upstream> {
  return runStage(exchange, "api.route", (span) => {
    const [choice] = upstreams;
    setAttributes(span, {
      "centspan.route.candidates": upstreams.length,
      "centspan.route.choice": choice.origin,
      "centspan.route.reason": "only candidate",
    });
    return choice;
  });
}
