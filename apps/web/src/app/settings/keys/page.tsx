import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { KeysView } from "#features/settings/keys-view.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

export default function KeysSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/keys", searchParams, async (page) => {
    const [{ data: keys }, { data: teams }] = await Promise.all([page.api.keys(), page.api.teams()]);
    return (
      <SettingsFrame page={page} id="keys" subtitle={page.t.keysSubtitle}>
        <KeysView page={page} keys={keys} teams={teams} />
      </SettingsFrame>
    );
  });
}
