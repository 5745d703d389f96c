"use client";
/** Who decides, and what: a name is kept with each step. Says so where it could not be taken. */
import { useActionState } from "react";

type DecideProps = {
  action: (before: string | null, sent: FormData) => Promise<string>;
  steps: readonly { id: string; text: string; isMain: boolean }[];
  texts: { yourName: string; whyOptional: string };
};

export function DecideForm({ action, steps, texts }: DecideProps) {
  const [refusal, submit, isPending] = useActionState(action, null);
  return (
    <form action={submit} aria-busy={isPending} className="flex flex-wrap items-end gap-3 px-4 pt-2 pb-3.5">
      <label className="flex flex-col gap-0.5 font-medium text-ink-2 text-note">
        {texts.yourName}
        <input className="field" name="by" required maxLength={200} autoComplete="name" />
      </label>
      <label className="flex min-w-[240px] flex-1 flex-col gap-0.5 font-medium text-ink-2 text-note">
        {texts.whyOptional}
        <input className="field w-full" name="note" maxLength={4000} autoComplete="off" />
      </label>
      <div className="flex gap-2">
        {steps.map(({ id, text, isMain }) => (
          <button
            key={id}
            type="submit"
            name="step"
            value={id}
            className={isMain ? "control control-primary" : "control"}
          >
            {text}
          </button>
        ))}
      </div>
      {refusal !== null && (
        <p role="alert" className="basis-full text-waste">
          {refusal}
        </p>
      )}
    </form>
  );
}
