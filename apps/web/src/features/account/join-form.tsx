/** What an invitation's link leads to: a new account, a new password, or joining as who one is. */
import type { PeopleStore } from "@centspan/model";
import { TextField } from "#components/fields";
import type { Catalogue } from "#i18n";
import { PASSWORD_LENGTH } from "#server/password-length";

type Invitation = NonNullable<Awaited<ReturnType<PeopleStore["findInvitation"]>>>;
type Props = { t: Catalogue; token: string; invitation: Invitation; you: string | null; problem: string | undefined };

export function JoinForm({ t, token, invitation, you, problem }: Props) {
  const { email, isReset, hasAccount } = invitation;
  return (
    <>
      <p className="text-ink-2">
        {isReset ? t.resetText : t.joinText(invitation.invitedBy, t.roleOf[invitation.role])}
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-waste">
          {problem}
        </p>
      )}
      {hasAccount && !isReset ? (
        <AsAccount t={t} token={token} email={email} you={you} />
      ) : (
        <NewPassword t={t} token={token} email={email} isReset={isReset} />
      )}
    </>
  );
}

function NewPassword({ t, token, email, isReset }: Pick<Props, "t" | "token"> & { email: string; isReset: boolean }) {
  const { least, most } = PASSWORD_LENGTH;
  return (
    <form method="post" action="/session" className="flex flex-col gap-3">
      <input type="hidden" name="token" value={token} />
      <TextField
        required
        label={t.email}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={email}
        readOnly
      />
      {!isReset && <TextField required label={t.yourFullName} name="name" autoComplete="name" maxLength={200} />}
      <TextField
        required
        label={isReset ? t.passwordAfter : t.password}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={least}
        maxLength={most}
        hint={t.passwordHint(String(least))}
      />
      <button type="submit" name="do" value="join" className="control control-primary">
        {isReset ? t.setPassword : t.join}
      </button>
    </form>
  );
}

function AsAccount({ t, token, email, you }: Pick<Props, "t" | "token" | "you"> & { email: string }) {
  if (you !== null && you !== email) return <p>{t.joinOther(email, you)}</p>;
  if (you === null)
    return (
      <>
        <p>{t.joinHasAccount(email)}</p>
        <a className="control control-primary" href={`/sign-in?next=${encodeURIComponent(`/join/${token}`)}`}>
          {t.signIn}
        </a>
      </>
    );
  return (
    <form method="post" action="/session">
      <input type="hidden" name="token" value={token} />
      <button type="submit" name="do" value="join-as" className="control control-primary">
        {t.join}
      </button>
    </form>
  );
}
