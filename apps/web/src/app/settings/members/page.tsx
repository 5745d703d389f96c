import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { MembersView } from "#features/settings/members-view.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

export default function MembersPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/members", searchParams, async (page) => {
    const [{ data: members }, { data: invitations }] = await Promise.all([page.api.members(), page.api.invitations()]);
    return (
      <SettingsFrame page={page} id="members" subtitle={page.t.membersSubtitle}>
        <MembersView page={page} members={members} invitations={invitations} />
      </SettingsFrame>
    );
  });
}
