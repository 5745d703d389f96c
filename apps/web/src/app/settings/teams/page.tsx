import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { TeamsView } from "#features/settings/other-views.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

export default function TeamsSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/teams", searchParams, async (page) => {
    const { data: teams } = await page.api.teams();
    return (
      <SettingsFrame page={page} id="teams" subtitle={page.t.teamsSubtitle}>
        <TeamsView page={page} teams={teams} />
      </SettingsFrame>
    );
  });
}
