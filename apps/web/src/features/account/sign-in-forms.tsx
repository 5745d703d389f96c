/** With a password, or by the provider: plain forms, which work without the page's code. */

import { TextField } from "#components/fields";
import type { Catalogue } from "#i18n";
import type { Params } from "../page/params.ts";

type Problem = keyof Catalogue["signInProblem"];
const isProblem = (text: string, t: Catalogue): text is Exclude<Problem, "rate"> =>
  text !== "rate" && Object.hasOwn(t.signInProblem, text);

/** `problem` is ours; `error` is what the provider, or the library that asks it, says. */
export function describeProblem({ problem, error, wait }: Params, t: Catalogue): string | null {
  if (problem === "rate") return t.signInProblem.rate(wait ?? "15");
  const code = problem ?? error?.toLowerCase();
  if (code === undefined) return null;
  return isProblem(code, t) ? t.signInProblem[code] : t.signInProblem.provider;
}

type Props = { t: Catalogue; params: Params; next: string; provider: string | null };

export function SignInForms({ t, params, next, provider }: Props) {
  const problem = describeProblem(params, t);
  return (
    <>
      {problem !== null && (
        <p role="alert" className="text-waste">
          {problem}
        </p>
      )}
      {params.said === "out" && problem === null && (
        <p role="status" className="text-ink-2">
          {t.signedOut}
        </p>
      )}
      <form method="post" action="/session" className="flex flex-col gap-3">
        <input type="hidden" name="next" value={next} />
        <TextField required label={t.email} name="email" type="email" autoComplete="username" maxLength={254} />
        <TextField
          required
          label={t.password}
          name="password"
          type="password"
          autoComplete="current-password"
          maxLength={128}
        />
        <button type="submit" name="do" value="sign-in" className="control control-primary">
          {t.signIn}
        </button>
      </form>
      {provider !== null && (
        <form method="post" action="/session" className="flex flex-col gap-3">
          <input type="hidden" name="next" value={next} />
          <p className="text-center text-ink-3 text-note">{t.or}</p>
          <button type="submit" name="do" value="provider" className="control">
            {t.continueWith(provider)}
          </button>
        </form>
      )}
      <p className="text-axis text-ink-3">{t.notAMember}</p>
    </>
  );
}
