/**
 * What those who rent models can change, each with its saving a month: from the waste ledger, from evaluations, and from how calls
 * look: who waits for them, and how long their answers are.
 */
import { type Decimal, parseDecimal } from "@centspan/base";
import { type RecommendationInput, recommendationInputSchema } from "@centspan/model";
import { adviseEvaluations, adviseShapes, adviseSpend } from "@centspan/optimizer";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";
import { evaluateSet } from "./evaluations.ts";
import { priceShapes } from "./price-shapes.ts";
import { readFixes } from "./waste.ts";

const MOST_FIXES = 20;
/** Of what was last: habits change. */
const DAYS = 30;
const DAY_NS = 86_400_000_000_000n;

export const listAdvice = defineRoute({
  id: "listAdvice",
  method: "GET",
  path: "/advice",
  summary:
    "What those who rent models can change, dearest first, each with its saving a month. A study of kind spend says the same, and can be filed",
  needs: "figures.read",
  query: z.strictObject({ subject: z.string().min(1).max(200).default("all keys") }),
  body: z.undefined(),
  answer: z.object({ data: z.array(recommendationInputSchema), nextCursor: z.null() }),
  async run({ deps, caller, query: { subject } }) {
    const scope = { deps, caller };
    const [fixes, others] = await Promise.all([readFixes(scope, { limit: MOST_FIXES }), adviseHabits(scope)]);
    const advised = [...adviseSpend(fixes, subject), ...others];
    const savedOf = ({ savings }: RecommendationInput): Decimal => parseDecimal(savings.cashUsdMonth);
    const data = advised.toSorted((a, b) => (savedOf(a).gt(savedOf(b)) ? -1 : savedOf(a).eq(savedOf(b)) ? 0 : 1));
    return { data, nextCursor: null };
  },
});

type Scope = { deps: ApiDeps; caller: Caller };

async function adviseHabits({ deps, caller }: Scope): Promise<RecommendationInput[]> {
  const { workspace } = caller;
  const toNs = deps.clock.nowNs();
  const [shapes, keys, sets] = await Promise.all([
    deps.warehouse.listCallShapes(workspace, { fromNs: toNs - BigInt(DAYS) * DAY_NS, toNs }),
    deps.control.listKeys(workspace),
    deps.control.listEvaluationSets(workspace),
  ]);
  const batchKeys = new Set(keys.filter(({ rules }) => rules.priority === "batch").map(({ name }) => name));
  const monthUsd = new Map<string, Decimal>();
  for (const { model, costUsd } of shapes) monthUsd.set(model, costUsd.plus(monthUsd.get(model) ?? parseDecimal("0")));
  const evaluations = await Promise.all(sets.map((set) => evaluateSet({ deps, caller }, set, { tz: "UTC" })));
  return [
    ...adviseEvaluations(evaluations, monthUsd),
    ...adviseShapes(priceShapes(shapes, { batchKeys, atNs: toNs }), { days: DAYS }),
  ];
}
