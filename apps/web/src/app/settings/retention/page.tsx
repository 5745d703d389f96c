import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { RetentionView } from "#features/settings/other-views.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

export default function RetentionSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/retention", searchParams, async (page) => {
    const { data: rows } = await page.api.retention();
    return (
      <SettingsFrame page={page} id="retention" subtitle={page.t.retentionSubtitle}>
        <RetentionView page={page} rows={rows} />
      </SettingsFrame>
    );
  });
}
