import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";
import { WorkspaceView } from "#features/settings/workspace-view.tsx";

export const dynamic = "force-dynamic";

export default function WorkspaceSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/workspace", searchParams, async (page) => {
    const { workspace } = await page.api.self();
    return (
      <SettingsFrame page={page} id="workspace" subtitle={page.t.workspaceSubtitle}>
        <WorkspaceView page={page} workspace={workspace} />
      </SettingsFrame>
    );
  });
}
