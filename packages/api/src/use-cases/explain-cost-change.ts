import { explainChange, type SpendPeriod } from "@centspan/attribution";
import { formatDecimal, formatInstant, startBeforeNs, sumDecimals } from "@centspan/base";
import { type CallFilter, spendChangeSchema, type TimeRange } from "@centspan/model";
import { z } from "zod";
import { filterShape, instantParam, readFilter, timeZoneParam } from "../queries.ts";
import { type ApiDeps, defineRoute } from "../route.ts";

export const explainCostChange = defineRoute({
  id: "explainCostChange",
  method: "GET",
  path: "/cost/change",
  summary:
    "Why spend of a period differs from that of the equally long one before it, of as many days of the zone where it is made of such: price, volume and mix, which add up to the difference",
  needs: "figures.read",
  query: z.strictObject({ ...filterShape, from: instantParam, to: instantParam, tz: timeZoneParam }),
  body: z.undefined(),
  answer: spendChangeSchema,
  async run({ deps, caller, query }) {
    const filter = readFilter(query);
    const after: TimeRange = { fromNs: query.from, toNs: query.to };
    const before: TimeRange = { fromNs: startBeforeNs(query.tz, query.from, query.to), toNs: query.from };
    const read = (range: TimeRange) => readPeriod(deps, caller.workspace, { ...filter, range });
    const [was, is] = await Promise.all([read(before), read(after)]);
    const { cells, ...change } = explainChange(was, is);
    const describe = ({ fromNs, toNs }: TimeRange, period: SpendPeriod) => ({
      from: formatInstant(fromNs),
      to: formatInstant(toNs),
      calls: period.calls,
      costUsd: formatDecimal(sumDecimals(period.cells.map(({ costUsd }) => costUsd))),
    });
    return {
      before: describe(before, was),
      after: describe(after, is),
      changeUsd: formatDecimal(change.changeUsd),
      priceUsd: formatDecimal(change.priceUsd),
      volumeUsd: formatDecimal(change.volumeUsd),
      mixUsd: formatDecimal(change.mixUsd),
      data: cells.map((cell) => ({
        model: cell.model,
        meter: cell.meter,
        changeUsd: formatDecimal(cell.changeUsd),
        priceUsd: formatDecimal(cell.priceUsd),
        quantityUsd: formatDecimal(cell.quantityUsd),
      })),
      nextCursor: null,
    };
  },
});

async function readPeriod(deps: ApiDeps, workspace: string, filter: CallFilter): Promise<SpendPeriod> {
  const [cells, sums] = await Promise.all([
    deps.warehouse.listMeterSpend(workspace, filter),
    deps.warehouse.sumCosts(workspace, { groupBy: "model", filter, timeZone: "UTC" }),
  ]);
  // What has no cost has no part in spend.
  const calls = sums.map((sum) => sum.calls - sum.unpricedCalls - sum.quarantinedCalls);
  return { cells, calls: calls.reduce((total, known) => total + known, 0) };
}
