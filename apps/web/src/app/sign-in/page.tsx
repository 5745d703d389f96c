import { redirect } from "next/navigation";
import { Door } from "#features/account/door.tsx";
import { SignInForms } from "#features/account/sign-in-forms.tsx";
import { type RawParams, readLanguage } from "#features/page/open-page.tsx";
import { readParams } from "#features/page/params.ts";
import { getCatalogue } from "#i18n";
import { readPath } from "#server/path-header";
import { openOnce } from "#server/stores";
import { readSignedIn } from "#server/viewer";

export const dynamic = "force-dynamic";

export default async function SignInPage({ searchParams }: { searchParams: RawParams }) {
  const [params, language] = [readParams(await searchParams), await readLanguage()];
  const { mode } = openOnce();
  const next = readPath(params.next ?? null);
  if (mode.kind === "single-user" || (await readSignedIn()) !== null) redirect(next);
  const t = getCatalogue(language);
  return (
    <Door title={t.signIn} language={language}>
      <p className="text-ink-2">{t.signInText}</p>
      <SignInForms t={t} params={params} next={next} provider={mode.oidc?.name ?? null} />
    </Door>
  );
}
