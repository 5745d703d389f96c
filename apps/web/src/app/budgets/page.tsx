import { prepareBudgets } from "@centspan/ui";
import { PageLink } from "#components/page-link";
import { BudgetsView } from "#features/budgets/budgets-view.tsx";
import { loadBudgets } from "#features/budgets/load-budgets.ts";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

const MOST_SUBJECTS = 8;

export default function BudgetsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/budgets", searchParams, async (page) => {
    const budgets = await loadBudgets(page.api);
    const canChange = page.may("budgets.write");
    return (
      <PageFrame
        page={page}
        title={page.t.budgets}
        subtitle={page.t.budgetsSubtitle}
        crumbs={[{ label: page.t.budgets }]}
        facts={[page.t.budgetsFact]}
        actions={
          canChange && (
            <PageLink
              className="control control-primary"
              href={page.here({ edit: "new", end: null, saved: null, ended: null })}
            >
              {page.t.newBudget}
            </PageLink>
          )
        }
      >
        <BudgetsView
          page={page}
          budgets={budgets}
          views={prepareBudgets(budgets.budgets, MOST_SUBJECTS, page.language)}
          canChange={canChange}
        />
      </PageFrame>
    );
  });
}
