/**
 * A cheaper way to work that is shown to pass: of an evaluation set, the cheapest way that meets the bar in place of a dearer one
 * that meets it too. What it saves is as much of the dearer model's spend as its passes cost more.
 */
import { type Decimal, formatDecimal, parseDecimal, ZERO } from "@centspan/base";
import type { Evaluation, RecommendationInput } from "@centspan/model";

export type ModelSpend = ReadonlyMap<string, Decimal>;

const LEAST_USD = parseDecimal("1");
const ONE = parseDecimal("1");

/** A way is a model, with what was set otherwise after it. */
const modelOf = (way: string): string => way.split(/[ ,]/)[0] ?? way;

/** `monthUsd`: what each model costs in a month here. */
export function adviseEvaluations(evaluations: readonly Evaluation[], monthUsd: ModelSpend): RecommendationInput[] {
  return evaluations.flatMap(({ set, ways, cheapest }) => {
    const best = ways.find(({ way }) => way === cheapest);
    const bestUsd = best?.cost.costPerPassUsd ?? null;
    if (best === undefined || bestUsd === null) return [];
    return ways.flatMap(({ way, verdict, cost }): RecommendationInput[] => {
      if (way === best.way || verdict !== "meets" || cost.costPerPassUsd === null) return [];
      const spent = monthUsd.get(modelOf(way)) ?? ZERO;
      const saved = spent.times(ONE.minus(parseDecimal(bestUsd).div(parseDecimal(cost.costPerPassUsd))));
      if (saved.lt(LEAST_USD)) return [];
      return [
        {
          kind: "spend",
          subject: modelOf(way).slice(0, 200),
          title: `${best.way} in place of ${way}: both pass ${set.name}`.slice(0, 200),
          changes: [{ knob: "model", now: way.slice(0, 200), proposed: best.way.slice(0, 200), effect: null }],
          effect: null,
          metric: "usd",
          savings: { capacityUsdMonth: "0", cashUsdMonth: formatDecimal(saved.round(2, 2)) },
          provenance: "estimated",
          evidence: {
            chosenOn: `evaluation set ${set.name}: a pass costs ${cost.costPerPassUsd} USD with ${way}, ${bestUsd} USD with ${best.way}`,
            judgedOn: `at least ${(100 * set.minPassRate).toFixed(1)}% of its tasks pass with either, as was shown`,
            traceIds: [],
            verdict: null,
          },
          risks: [`only as far as all work of ${modelOf(way)} is like the tasks of ${set.name}`],
          apply: [
            {
              engine: "agents",
              text: `for this kind of task, ask for ${best.way}: a rule routes of the key, by role or task type`,
              cannot: [],
              undo: "the key's rule without the route",
            },
          ],
        },
      ];
    });
  });
}
