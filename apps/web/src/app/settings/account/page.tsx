import { TextField } from "#components/fields";
import { Panel } from "#features/ledger/panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import type { Page } from "#features/page/page.ts";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";
import { PASSWORD_LENGTH } from "#server/password-length";

export const dynamic = "force-dynamic";

function SingleUser({ t }: Pick<Page, "t">) {
  return (
    <Panel title={t.singleUser}>
      <p className="max-w-[760px] px-4 pt-1 pb-3.5 text-ink-2">{t.singleUserText}</p>
    </Panel>
  );
}

function Own({ page: { t, params }, person }: { page: Page; person: NonNullable<Page["person"]> }) {
  const { least, most } = PASSWORD_LENGTH;
  return (
    <>
      <Panel title={t.you} note={`${person.name} · ${person.email}`}>
        <p className="px-4 pt-1 pb-3.5 text-ink-2">
          {t.role}: <b className="font-semibold text-ink">{t.roleOf[person.role]}</b>, {t.roleText[person.role]}
        </p>
      </Panel>
      <Panel title={t.changePassword}>
        <form method="post" action="/session" className="flex flex-wrap items-start gap-3 px-4 pt-2 pb-3.5">
          <input type="hidden" name="email" autoComplete="username" value={person.email} readOnly />
          <TextField
            label={t.passwordBefore}
            type="password"
            name="password"
            required
            autoComplete="current-password"
            maxLength={most}
          />
          <TextField
            label={t.passwordAfter}
            hint={t.passwordHint(String(least))}
            type="password"
            name="newPassword"
            required
            autoComplete="new-password"
            minLength={least}
            maxLength={most}
          />
          <button type="submit" name="do" value="change-password" className="control control-primary mt-[21px]">
            {t.changePassword}
          </button>
          {params.said === "changed" && (
            <p role="status" className="basis-full text-ink-2">
              {t.passwordChanged}
            </p>
          )}
          {params.problem !== undefined && (
            <p role="alert" className="basis-full text-waste">
              {params.problem === "password" ? t.passwordWrong : params.problem}
            </p>
          )}
        </form>
      </Panel>
      <Panel title={t.signOutEverywhere} note={t.signOutEverywhereText}>
        <form method="post" action="/session" className="px-4 pt-2 pb-3.5">
          <button type="submit" name="do" value="sign-out-everywhere" className="control">
            {t.signOutEverywhere}
          </button>
        </form>
      </Panel>
    </>
  );
}

export default function AccountPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/account", searchParams, async (page) => (
    <SettingsFrame page={page} id="account" subtitle={page.t.accountSubtitle}>
      {page.person === null ? <SingleUser t={page.t} /> : <Own page={page} person={page.person} />}
    </SettingsFrame>
  ));
}
