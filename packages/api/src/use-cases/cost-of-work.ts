/** What work on each branch, or for each pull request, cost, and what became of it. */
import { costByWork, createWorkNames, listCutTraces, sumStates } from "@centspan/attribution";
import { type Decimal, formatDecimal, formatInstant, ratio, sumDecimals } from "@centspan/base";
import { WORK_GROUPS, type WorkCost, workAnswerSchema } from "@centspan/model";
import { z } from "zod";
import { pageShape, rangeShape, readRange } from "../queries.ts";
import { defineRoute } from "../route.ts";

const METHOD =
  "Calls are at the branch that their trace was at last; a request has all that its branch cost until it was opened. " +
  "Test runs are those that were seen in the sessions, read from their output unless a report was posted. What became " +
  "of the work is what code hosts and local clones said of its commits; nothing for two weeks is abandoned.";

export const costOfWork = defineRoute({
  id: "costOfWork",
  method: "GET",
  path: "/outcomes/work",
  summary:
    "What work on each branch, or for each pull request, cost: up to its first passing test run and after, and what became of it",
  needs: "figures.read",
  query: z.strictObject({
    ...rangeShape,
    groupBy: z.enum(WORK_GROUPS).default("pullRequest"),
    limit: pageShape.limit.describe("rows, the dearest first"),
  }),
  body: z.undefined(),
  answer: workAnswerSchema,
  async run({ deps: { warehouse, clock }, caller: { workspace }, query: { groupBy, limit, ...shape } }) {
    const { range } = readRange(shape);
    const [facts, sums] = await Promise.all([
      warehouse.readWorkFacts(workspace, range),
      warehouse.sumCosts(workspace, { groupBy: "provider", filter: range ? { range } : {}, timeZone: "UTC" }),
    ]);
    const names = createWorkNames(facts.marks, groupBy);
    const cut = new Set(listCutTraces(facts, groupBy, names));
    const seconds = cut.size > 0 ? await warehouse.listWorkSeconds(workspace, range, [...cut]) : [];
    const spend = [...facts.spend.filter(({ traceId }) => !cut.has(traceId)), ...seconds];
    const rows = costByWork({ ...facts, spend }, groupBy, clock.nowNs(), names);
    const spendUsd = sumDecimals(sums.map(({ costUsd }) => costUsd));
    const placedUsd = sumDecimals(rows.map(({ costUsd }) => costUsd));
    const testedUsd = sumDecimals(rows.filter(({ testRuns }) => testRuns > 0).map(({ costUsd }) => costUsd));
    return {
      data: rows.slice(0, limit).map(toRow),
      total: {
        spendUsd: formatDecimal(spendUsd),
        placedUsd: formatDecimal(placedUsd),
        groups: rows.length,
        revertedUsd: formatDecimal(sumStates(rows, ["reverted", "refused"])),
        abandonedUsd: formatDecimal(sumStates(rows, ["abandoned"])),
        coverage: divide(placedUsd, spendUsd),
        testedCoverage: divide(testedUsd, placedUsd),
      },
      method: METHOD,
      nextCursor: null,
    };
  },
});

const toRow = ({ costUsd, firstNs, lastNs, toGreenUsd, afterGreenUsd, ...row }: WorkCost) => ({
  ...row,
  costUsd: formatDecimal(costUsd),
  firstAt: formatInstant(firstNs),
  lastAt: formatInstant(lastNs),
  toGreenUsd: toGreenUsd && formatDecimal(toGreenUsd),
  afterGreenUsd: afterGreenUsd && formatDecimal(afterGreenUsd),
});

function divide(part: Decimal, whole: Decimal): string | null {
  const share = ratio(part, whole);
  return share && formatDecimal(share);
}
