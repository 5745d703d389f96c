/** Loads what the strip below the key figures shows: of the page's period, but for months, seats and budgets, which have their own. */
import { addCosts, prepareSituation, type Situation } from "@centspan/ui";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";
import { COMPARED } from "../reconciliation/past-comparisons.tsx";

export async function loadSituation({ api, zone, may }: Page, { range, before }: Period): Promise<Situation> {
  const sumBefore = async () =>
    before === null ? null : addCosts("", (await api.cost({ ...before, groupBy: "team" })).data);
  const [costs, costsBefore, waste, work, forecast, budgets, seats, periods, audit, recommendations] =
    await Promise.all([
      api.cost({ ...range, groupBy: "team" }),
      sumBefore(),
      api.waste({ ...range, groupBy: "layer" }),
      api.costOfWork({ ...range, groupBy: "branch", limit: "1" }),
      api.costForecast({ tz: zone }),
      api.budgets(),
      api.seats(),
      api.periods(),
      may("audit.read") ? api.audit() : { data: [] },
      api.recommendations(),
    ]);
  const spend = addCosts("", costs.data);
  return prepareSituation({
    spendUsd: spend.costUsd,
    spendProvenance: spend.provenance,
    beforeUsd: costsBefore === null || costsBefore.calls === 0 ? null : costsBefore.costUsd,
    unallocatedUsd: costs.data.find(({ group }) => group === "")?.costUsd ?? "0",
    waste: waste.total,
    work: work.total,
    forecast,
    budgets: budgets.data,
    seats: seats.data,
    periods: periods.data,
    comparisons: audit.data.filter(({ action }) => action === COMPARED),
    recommendations: recommendations.data,
  });
}
