import type { CohortRow, Comparison } from "@centspan/model";
import { prepareOutcomeTable } from "@centspan/ui";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { ComparisonPanel } from "./comparison-panel.tsx";

const t = getCatalogue("en");

const cohort = (group: string, costPerPassUsd: string | null): CohortRow => ({
  ...{ group, spendUsd: "10", reviewUsd: "0", unpricedReviewMinutes: "0", allSpendUsd: "10", failedSpendUsd: "2" },
  ...{
    tasks: 8,
    passed: 5,
    failed: 3,
    reverted: 0,
    unknown: 0,
    pending: 0,
    unpricedCalls: 0,
    costPerPassUsd,
    interval: null,
  },
  ...{ pendingBounds: null, coverage: "1", simulatedShare: "0", passRate: "0.625", passRateInterval: null },
});
const [a, b] = [cohort("search", "2.50"), cohort("payments", "2.00")];
const comparison: Comparison = {
  ...{ a, b, passRate: null, reverted: null, verdict: "not_shown", passRateVerdict: "no_data", moreTasks: 351 },
  costPerPass: { value: "-0.5", low: "-1.5", high: "0.5", level: 0.95 },
  summary: "",
};

describe("who is cheapest", () => {
  const cheapest = { group: "payments", against: "search", openAgainst: ["search"] };
  const shown = { table: prepareOutcomeTable([a, b], a, []), cheapest };
  const page = { t, params: { groupBy: "team", a: "x" } };
  const render = (changes: Partial<Comparison> = {}) =>
    renderToStaticMarkup(<ComparisonPanel page={page} shown={shown} comparison={{ ...comparison, ...changes }} />);

  it("is named, and whether that is certain, with the range and what would settle it", () => {
    const markup = render();
    expect(markup).toContain("payments has the lowest cost per pass");
    expect(markup).toContain("is that certain? not against search");
    expect(markup).toContain("No difference can be shown yet.");
    expect(markup).toContain("A pass of payments cost $0.5000 less than one of search.");
    expect(markup).toContain("from −$1.5000 to +$0.5000");
    expect(markup).toContain("About 351 more tasks, over both,");
  });

  it("is said to be certain only where the difference is shown", () => {
    const lower = render({
      verdict: "b_lower",
      costPerPass: { value: "-0.5", low: "-0.9", high: "-0.1", level: 0.95 },
    });
    expect(lower).toContain("Yes: payments is lower than search.");
    expect(lower).not.toContain("No difference");
    expect(render({ verdict: "b_higher" })).toContain("payments is higher than search.");
  });

  it("says when nothing can be said, and asks for no number of tasks that nobody knows", () => {
    const nothing = render({ verdict: "no_data", costPerPass: null, moreTasks: 12 });
    expect(nothing).toContain("Nothing can be compared yet.");
    expect(nothing).toContain("Not enough yet: at least 12 more.");
    expect(render({ moreTasks: null })).not.toContain("more tasks");
  });

  it("holds one without a pass against the other by its least cost", () => {
    const markup = render({ verdict: "b_lower", costPerPass: null, moreTasks: null });
    expect(markup).toContain("Yes: payments is lower than search.");
    expect(markup).toContain("No task of search has passed, and its least cost for a pass lies above.");
  });

  it("says what else than luck leaves it open", () => {
    expect(render()).not.toMatch(/pending tasks|has a price/);
    expect(render({ b: { ...b, pending: 3 } })).toContain("The 3 pending tasks may pass or fail in it.");
    expect(render({ b: { ...b, unpricedCalls: 1 } })).toContain("Not all that was spent has a price");
  });

  it("keeps the rest of the address when others are chosen", () => {
    const markup = render();
    expect(markup).toContain('<input type="hidden" name="groupBy" value="team"/>');
    expect(markup).not.toContain('type="hidden" name="a"');
  });
});
