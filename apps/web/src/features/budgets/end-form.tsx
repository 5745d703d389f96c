"use client";
/** The last question before a budget is ended; says so where it could not be. */
import { useActionState } from "react";
import { PageLink } from "#components/page-link";

type EndProps = {
  action: (before: string | null) => Promise<string>;
  texts: { consequence: string; end: string; keep: string };
  keepHref: string;
};

export function EndForm({ action, texts, keepHref }: EndProps) {
  const [refusal, submit, isPending] = useActionState(action, null);
  return (
    <form action={submit} aria-busy={isPending} className="px-4 pt-1 pb-3.5">
      <p className="mb-3 text-ink-2">{texts.consequence}</p>
      {refusal !== null && (
        <p role="alert" className="mb-3 text-waste">
          {refusal}
        </p>
      )}
      <div className="flex gap-2">
        <button type="submit" className="control border-waste-line! text-waste!">
          {texts.end}
        </button>
        <PageLink className="control" href={keepHref}>
          {texts.keep}
        </PageLink>
      </div>
    </form>
  );
}
