/** Two cohorts side by side, with a verdict in plain words. */
import {
  type CohortComparison,
  compareCohorts,
  type Difference,
  isUnderstated,
  lacksTasks,
  type OutcomeCost,
  shareInterval,
  toEstimate,
} from "@centspan/attribution";
import { type Decimal, formatDecimal } from "@centspan/base";
import { type CohortRow, type Comparison, comparisonSchema, OUTCOME_GROUPS, type OutcomeGroup } from "@centspan/model";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute, parseInput } from "../route.ts";
import { toOutcomeCostRow } from "../rows.ts";
import { type CohortQuery, cohortShape, readCohort } from "./outcome-cohorts.ts";

const cohorts = z.union([
  z.object({ groupBy: z.enum(OUTCOME_GROUPS), a: z.string(), b: z.string(), split: z.undefined() }),
  z.object({ groupBy: z.undefined(), a: z.undefined(), b: z.undefined(), split: z.bigint() }),
]);

export const compareOutcomes = defineRoute({
  id: "compareOutcomes",
  method: "GET",
  path: "/outcomes/compare",
  summary:
    "Two groups, or tasks begun before and since an instant: cost per pass and pass rate, and whether a difference is shown",
  needs: "figures.read",
  query: z.strictObject({
    ...cohortShape,
    groupBy: z.enum(OUTCOME_GROUPS).optional(),
    a: z.string().max(500).optional().describe("a group"),
    b: z.string().max(500).optional().describe("the group held against it"),
    split: instantParam.optional().describe("instead of groups: tasks begun before it are a, all others b"),
  }),
  body: z.undefined(),
  answer: comparisonSchema,
  async run({ deps, caller, query: { groupBy, a, b, split, ...query } }) {
    const of = cohorts.safeParse({ groupBy, a, b, split });
    if (!of.success) parseInput(z.object({ groupBy: z.string(), a: z.string(), b: z.string() }), { groupBy, a, b }, "");
    const ask = { deps, caller };
    const [ofA, ofB] =
      split === undefined
        ? await readGroups(ask, query, groupBy ?? "team", [a ?? "", b ?? ""])
        : await readSides(ask, query, split);
    return toComparison(compareCohorts(ofA.slices, ofB.slices, ofA.options), [a ?? "before", b ?? "since"]);
  },
});

type Asked = { deps: ApiDeps; caller: Caller };
type Cohort = Awaited<ReturnType<typeof readCohort>>;

/** Where all of the range is on one side, there is nothing of the other. */
function readSides(ask: Asked, query: CohortQuery, split: bigint): Promise<[Cohort, Cohort]> {
  const { from = split - 1n, to = split + 1n } = query;
  const nothing = () => readCohort(ask, query, "team", []);
  return Promise.all([
    split <= from ? nothing() : readCohort(ask, { ...query, to: to < split ? to : split }, "team"),
    to <= split ? nothing() : readCohort(ask, { ...query, from: from > split ? from : split }, "team"),
  ]);
}

/** Of what all groups come to, which a page has asked for already; where there are few tasks of one among many, of these by themselves. */
async function readGroups(
  ask: Asked,
  query: CohortQuery,
  groupBy: OutcomeGroup,
  [a, b]: readonly [string, string],
): Promise<[Cohort, Cohort]> {
  const choose = ({ slices, options }: Cohort, name: string): Cohort => ({
    slices: slices.filter(({ group }) => group === name),
    options,
  });
  const all = await readCohort(ask, query, groupBy);
  const [ofA, ofB] = [choose(all, a), choose(all, b)];
  if (!lacksTasks(ofA.slices) && !lacksTasks(ofB.slices)) return [ofA, ofB];
  const single = await readCohort(ask, query, groupBy, [a, b]);
  return [lacksTasks(ofA.slices) ? choose(single, a) : ofA, lacksTasks(ofB.slices) ? choose(single, b) : ofB];
}

export function toComparison(found: CohortComparison, names: readonly [string, string]): Comparison {
  const { verdict, passRateVerdict, moreTasks } = found;
  return {
    a: { ...toCohortRow(found.a), group: names[0] },
    b: { ...toCohortRow(found.b), group: names[1] },
    costPerPass: toDifference(found.costPerPass),
    passRate: toDifference(found.passRate),
    reverted: toDifference(found.reverted),
    verdict,
    passRateVerdict,
    moreTasks,
    summary: describeComparison(found, names),
  };
}

export function toCohortRow(cost: OutcomeCost): CohortRow {
  const decided = cost.passed + cost.failed + cost.unknown;
  const bounds = decided === 0 ? null : shareInterval(cost.passed, decided, 0.95);
  return {
    ...toOutcomeCostRow(cost),
    passRate: bounds && formatDecimal(toEstimate(cost.passed / decided)),
    passRateInterval: bounds && {
      low: formatDecimal(toEstimate(bounds.low)),
      high: formatDecimal(toEstimate(bounds.high)),
    },
  };
}

const format = (amount: Decimal | null): string | null => (amount === null ? null : formatDecimal(amount));

const toDifference = (difference: Difference | null): Comparison["costPerPass"] =>
  difference && {
    ...difference,
    value: formatDecimal(difference.value),
    low: format(difference.low),
    high: format(difference.high),
  };

const cents = (amount: Decimal | null): string => (amount === null ? "no bound" : `${amount.toFixed(2)} USD`);

function describeComparison(found: CohortComparison, [a, b]: readonly [string, string]): string {
  const { costPerPass, verdict, moreTasks } = found;
  if (verdict === "no_data") {
    const missing = moreTasks === null ? "" : `, at least ${moreTasks} more with an outcome needed`;
    return `Nothing can be said yet: ${found.a.tasks} tasks of ${a}, ${found.b.tasks} of ${b}${missing}.`;
  }
  if (costPerPass === null) {
    const without = found.a.passed === 0 ? a : b;
    if (verdict === "not_shown") return `No difference can be shown yet: no task of ${without} has passed.`;
    const [cheaper, dearer] = verdict === "b_lower" ? [b, a] : [a, b];
    return `${cheaper} is cheaper for each pass: no task of ${dearer} has passed, and its least cost lies above.`;
  }
  const range = `${cents(costPerPass.low)} to ${cents(costPerPass.high)}`;
  const size = cents(costPerPass.value.abs());
  if (verdict === "b_lower") return `${b} costs ${size} less for each pass than ${a} (${range}).`;
  if (verdict === "b_higher") return `${b} costs ${size} more for each pass than ${a} (${range}).`;
  const missing = moreTasks === null ? "" : `: about ${moreTasks} more tasks needed`;
  return `No difference can be shown yet${missing}. ${b} differs from ${a} by ${cents(costPerPass.value)} for each pass, but it may be ${range}${describeDoubts(found)}.`;
}

/** What more tasks don't settle. */
function describeDoubts({ a, b }: CohortComparison): string {
  const pending = a.pending + b.pending;
  return [
    pending > 0 ? `, since ${pending} pending tasks may still pass or fail` : "",
    isUnderstated(a) || isUnderstated(b) ? ", since not all that was spent has a price" : "",
  ].join("");
}
