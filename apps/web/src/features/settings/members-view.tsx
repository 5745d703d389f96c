/** Members and their roles, open invitations, and the form that makes one. */
import { type InvitationRow, MEMBER_ROLES, type MemberRow } from "@centspan/model";
import { formatDateMinute, parseInstantNs } from "@centspan/ui";
import { ActionForm } from "#components/action-form";
import { DataTable, wide } from "#components/data-table";
import { ChoiceField, TextField } from "#components/fields";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { changeRole, inviteMember, removeMember, withdrawInvitation } from "./actions.ts";

const listRoles = (t: Catalogue) => MEMBER_ROLES.map((role) => [role, t.roleOf[role]] as const);

function MemberRows({ page, members }: { page: Page; members: readonly MemberRow[] }) {
  const { t, params, language } = page;
  return members.map(({ personId, email, name, role, since }) => {
    const target = { workspace: params.workspace, id: personId };
    return (
      <tr key={personId}>
        <td>
          <b className="font-semibold">{name}</b> <span className="text-ink-2">{email}</span>
        </td>
        <td>
          <ActionForm
            action={changeRole.bind(null, target)}
            submit={t.changeRole}
            label={`${t.changeRole}: ${email}`}
            className="flex gap-2 py-1"
          >
            <select className="field" name="role" aria-label={`${t.role}: ${email}`} defaultValue={role}>
              {listRoles(t).map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </select>
          </ActionForm>
        </td>
        <td className="cell-wide text-ink-2">{formatDateMinute(parseInstantNs(since), language)}</td>
        <td>
          <ActionForm
            action={removeMember.bind(null, target)}
            submit={t.removeMember}
            label={t.removeMemberOf(email)}
            isDanger
          />
        </td>
      </tr>
    );
  });
}

function Invitations({ page, invitations }: { page: Page; invitations: readonly InvitationRow[] }) {
  const { t, params, language } = page;
  if (invitations.length === 0) return null;
  return (
    <Panel title={t.invitations}>
      <DataTable headings={[t.email, t.role, wide(t.invitedBy), t.until, ""]}>
        {invitations.map(({ invitationId, email, role, isReset, invitedBy, expiresAt }) => (
          <tr key={invitationId}>
            <td>{email}</td>
            <td>{isReset ? t.isReset : t.roleOf[role]}</td>
            <td className="cell-wide text-ink-2">{invitedBy}</td>
            <td className="text-ink-2">{formatDateMinute(parseInstantNs(expiresAt), language)}</td>
            <td>
              <ActionForm
                action={withdrawInvitation.bind(null, { workspace: params.workspace, id: invitationId })}
                submit={t.withdraw}
                label={`${t.withdraw}: ${email}`}
              />
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

type Props = { page: Page; members: readonly MemberRow[]; invitations: readonly InvitationRow[] };

export function MembersView({ page, members, invitations }: Props) {
  const { t, params } = page;
  return (
    <>
      {page.person === null && <p className="text-ink-2 max-sm:px-4">{t.singleUserMembers}</p>}
      <Panel title={t.members}>
        {members.length === 0 ? (
          <div className="px-4 pt-1 pb-3.5">
            <p className="mb-2 text-ink-2">{t.noMembers}</p>
            <pre className="code-block">npx centspan members invite YOU@EXAMPLE.COM --role owner</pre>
          </div>
        ) : (
          <DataTable headings={[t.member, t.role, wide(t.memberSince), ""]}>
            <MemberRows page={page} members={members} />
          </DataTable>
        )}
      </Panel>
      <Invitations page={page} invitations={invitations} />
      <Panel title={t.invite} note={t.inviteText}>
        <ActionForm
          action={inviteMember.bind(null, params.workspace)}
          submit={t.invite}
          isMain
          className="flex flex-wrap items-end gap-3 px-4 pt-2 pb-3.5"
        >
          <TextField label={t.email} type="email" name="email" required maxLength={254} autoComplete="off" />
          <ChoiceField label={t.role} name="role" chosen="viewer" choices={listRoles(t)} />
        </ActionForm>
        <dl className="grid gap-x-3 gap-y-0.5 px-4 pb-3.5 text-note sm:grid-cols-[auto_1fr]">
          {MEMBER_ROLES.map((role) => (
            <div key={role} className="contents">
              <dt className="font-semibold">{t.roleOf[role]}</dt>
              <dd className="text-ink-2">{t.roleText[role]}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </>
  );
}
