import type { Metadata } from "next";
import { Door } from "#features/account/door.tsx";
import { JoinForm } from "#features/account/join-form.tsx";
import { type RawParams, readLanguage } from "#features/page/open-page.tsx";
import { readParams } from "#features/page/params.ts";
import { getCatalogue } from "#i18n";
import { openOnce } from "#server/stores";
import { readSignedIn } from "#server/viewer";

export const dynamic = "force-dynamic";

/** The link is a secret: no other site is told it. */
export const metadata: Metadata = { referrer: "same-origin" };

type Props = { params: Promise<{ token: string }>; searchParams: RawParams };

export default async function JoinPage({ params, searchParams }: Props) {
  const [{ token }, said, language] = [await params, readParams(await searchParams), await readLanguage()];
  const t = getCatalogue(language);
  const { stores, mode } = openOnce();
  const invitation = mode.kind === "accounts" ? await stores.control.findInvitation(token) : null;
  const title = invitation === null || invitation.isReset ? t.resetTitle : t.joinTitle(invitation.workspaceName);
  return (
    <Door title={invitation === null ? t.signIn : title} language={language}>
      {invitation === null ? (
        <p>{t.linkNotGood}</p>
      ) : (
        <JoinForm
          t={t}
          token={token}
          invitation={invitation}
          you={(await readSignedIn())?.email ?? null}
          problem={said.problem}
        />
      )}
    </Door>
  );
}
