import { formatMonth } from "@centspan/ui";
import { CloseView } from "#features/close/close-view.tsx";
import { prepareClose } from "#features/close/prepare-close.ts";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

export default function ClosePage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/close", searchParams, async (page) => {
    const [{ data: periods }, { data: audit }] = await Promise.all([
      page.api.periods(),
      page.may("audit.read") ? page.api.audit({ limit: "20" }) : { data: [] },
    ]);
    const named = page.params.month;
    const listed = periods.find(({ period }) => named === undefined || period === named);
    const chosen = listed ?? (await page.api.period(named ?? ""));
    return (
      <PageFrame
        page={page}
        title={page.t.closeOf(formatMonth(chosen.period, page.language))}
        subtitle={page.t.closeSubtitle}
        crumbs={[{ label: page.t.monthClose }]}
        facts={chosen.timeZone === "UTC" ? [] : [page.t.calendarOf(chosen.timeZone)]}
      >
        <CloseView page={page} view={prepareClose(periods, chosen, audit, page)} />
      </PageFrame>
    );
  });
}
