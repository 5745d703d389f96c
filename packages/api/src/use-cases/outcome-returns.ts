import { costPerOutcome, findAttemptReturns, findGroupReturns } from "@centspan/attribution";
import { type Decimal, formatDecimal } from "@centspan/base";
import { OUTCOME_GROUPS, returnsSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { cohortShape, readCohort } from "./outcome-cohorts.ts";

export const readReturns = defineRoute({
  id: "readReturns",
  method: "GET",
  path: "/outcomes/returns",
  summary:
    "Diminishing returns: what each further attempt at tasks bought, and what groups that spend more for a task get for it",
  needs: "figures.read",
  query: z.strictObject({ ...cohortShape, groupBy: z.enum(OUTCOME_GROUPS).default("team") }),
  body: z.undefined(),
  answer: returnsSchema,
  async run({ deps, caller, query: { groupBy, ...query } }) {
    const { slices, options } = await readCohort({ deps, caller }, query, groupBy);
    const { rows } = costPerOutcome(slices, { ...options, resamples: 0 });
    return {
      byAttempt: findAttemptReturns(slices).map((row) => ({
        ...row,
        spendUsd: formatDecimal(row.spendUsd),
        costPerFurtherPassUsd: format(row.costPerFurtherPassUsd),
      })),
      byGroup: findGroupReturns(rows, options.level).map((row) => ({
        ...row,
        spendUsd: formatDecimal(row.spendUsd),
        spendPerTaskUsd: formatDecimal(row.spendPerTaskUsd),
        passRate: formatDecimal(row.passRate),
        costPerPassUsd: format(row.costPerPassUsd),
        spendTimes: format(row.spendTimes),
        passRateGain: formatDecimal(row.passRateGain),
        costPerFurtherPassUsd: format(row.costPerFurtherPassUsd),
      })),
    };
  },
});

const format = (amount: Decimal | null): string | null => (amount === null ? null : formatDecimal(amount));
