import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { ContentView } from "#features/settings/other-views.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

export default function ContentSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/content", searchParams, async (page) => {
    const { data: keys } = await page.api.keys();
    return (
      <SettingsFrame page={page} id="content" subtitle={page.t.contentSubtitle}>
        <ContentView page={page} keys={keys} />
      </SettingsFrame>
    );
  });
}
