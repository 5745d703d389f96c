/** Two runs side by side: why one cost more than the other, figure by figure, and where they part. */
import { compareRuns, turnAttributes } from "@centspan/attribution";
import { CentspanError, type Decimal, formatDecimal, ZERO } from "@centspan/base";
import {
  type CostSum,
  METERS,
  may,
  type RunComparison,
  runComparisonSchema,
  type TraceRow,
  type WasteSum,
} from "@centspan/model";
import { z } from "zod";
import { text } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";
import { toTraceRow } from "../rows.ts";
import { sumBuckets } from "../trace-rollups.ts";
import { titleOf } from "./waste.ts";

/** Larger runs are compared by their sums alone. */
const MOST_SPANS = 50_000;

type Pair<T> = [first: T, second: T];
type Asked = { deps: ApiDeps; caller: Caller };

export const compareTwoRuns = defineRoute({
  id: "compareRuns",
  method: "GET",
  path: "/traces/{traceId}/comparison",
  summary:
    "Two runs side by side: cost, tokens, time, waste by cause, tools, and the first turn at which they part. Of each figure " +
    `the run's, that of the one it is held against, and what the latter has more. Runs of more than ${MOST_SPANS} spans are not gone through turn by turn.`,
  needs: "figures.read",
  query: z.strictObject({ against: text.describe("trace id of the second run") }),
  body: z.undefined(),
  answer: runComparisonSchema,
  async run({ deps, caller, params: { traceId = "" }, query: { against } }): Promise<RunComparison> {
    const runs = await each([traceId, against], (id) => readRun({ deps, caller }, id));
    const [first, second] = runs;
    const isWalked = runs.every(({ row }) => row.spans <= MOST_SPANS);
    const { costUsd: firstUsd } = first.head;
    const { costUsd: secondUsd } = second.head;
    return {
      runs: [first.row, second.row],
      differenceUsd: firstUsd === null || secondUsd === null ? null : formatDecimal(secondUsd.minus(firstUsd)),
      buckets: [first.buckets, second.buckets],
      meters: compareMeters([first.meters, second.meters]),
      models: compareModels([first.models, second.models]),
      causes: compareCauses([first.causes, second.causes]),
      walked: isWalked
        ? compareRuns(
            await each([traceId, against], (id) => deps.warehouse.readTraceFacts(caller.workspace, id, turnAttributes)),
          )
        : null,
    };
  },
});

async function each<T, U>([first, second]: Pair<T>, read: (one: T) => Promise<U>): Promise<Pair<U>> {
  return Promise.all([read(first), read(second)]);
}

async function readRun({ deps: { warehouse }, caller: { workspace, principal } }: Asked, traceId: string) {
  const filter = { traceId };
  const [head, spends, meters, models, causes, waste, works] = await Promise.all([
    warehouse.readTraceHead(workspace, traceId),
    warehouse.sumTraceCalls(workspace, traceId),
    warehouse.sumCosts(workspace, { groupBy: "meter", filter, timeZone: "UTC" }),
    warehouse.sumCosts(workspace, { groupBy: "model", filter, timeZone: "UTC" }),
    warehouse.sumWaste(workspace, { groupBy: "cause", filter, timeZone: "UTC" }),
    warehouse.sumTraceWaste(workspace, [traceId]),
    warehouse.readWorkOfTraces(workspace, [traceId]),
  ]);
  if (head === null) throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
  const row: TraceRow = toTraceRow(head, {
    anomalies: [],
    wasteUsd: waste.get(traceId) ?? null,
    work: works.get(traceId),
    showsContent: may(principal, "content.read"),
  });
  return { head, row, buckets: sumBuckets(spends), meters, models, causes };
}

/** Groups of either run, each with what it is in both; `least` is what it is where there is none of it. */
function match<T extends { group: string }>([first, second]: Pair<T[]>): [group: string, Pair<T | undefined>][] {
  const groups = [...new Set([...first, ...second].map(({ group }) => group))];
  const find = (own: readonly T[], group: string): T | undefined => own.find((one) => one.group === group);
  return groups.map((group) => [group, [find(first, group), find(second, group)]]);
}

const read = <T, U>([first, second]: Pair<T | undefined>, of: (one: T) => U, none: U): Pair<U> => [
  first === undefined ? none : of(first),
  second === undefined ? none : of(second),
];

/** What both cost, and the difference; those first that differ most. */
function compareCosts<T extends { group: string; costUsd: Decimal }>(sums: Pair<T[]>) {
  const rows = match(sums).map(([group, pair]) => {
    const costUsd = read(pair, (sum) => sum.costUsd, ZERO);
    return { group, pair, costUsd, difference: costUsd[1].minus(costUsd[0]) };
  });
  rows.sort((a, b) => b.difference.abs().cmp(a.difference.abs()) || (a.group < b.group ? -1 : 1));
  return rows.map(({ group, pair, costUsd: [first, second], difference }) => {
    const costUsd: Pair<string> = [formatDecimal(first), formatDecimal(second)];
    return { group, pair, costs: { costUsd, differenceUsd: formatDecimal(difference) } };
  });
}

const compareMeters = (sums: Pair<CostSum[]>) =>
  compareCosts(sums).flatMap(({ group, costs }) => {
    const meter = METERS.find((one) => one === group);
    return meter === undefined ? [] : [{ meter, ...costs }];
  });

const compareModels = (sums: Pair<CostSum[]>) =>
  compareCosts(sums).map(({ group, pair, costs }) => ({
    model: group,
    ...costs,
    calls: read(pair, ({ calls }) => calls, 0),
  }));

const compareCauses = (sums: Pair<WasteSum[]>) =>
  compareCosts(sums).flatMap(({ group, pair, costs }) => {
    const { layer = "", kind = "" } = pair[0] ?? pair[1] ?? {};
    if (layer === "" || kind === "") return [];
    return [
      {
        ...{ cause: group, title: titleOf(group), layer, kind },
        ...costs,
        seconds: read(pair, ({ seconds }) => seconds, 0),
        calls: read(pair, ({ calls }) => calls, 0),
        proof: read(pair, ({ topEvidence }) => topEvidence, null),
      },
    ];
  });
