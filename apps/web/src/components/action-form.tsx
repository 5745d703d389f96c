"use client";
/** A small form of a server action: says why it was refused, or shows once what nobody sees again. */
import { type ReactNode, useActionState } from "react";

/** Of an action that leads to no other page. */
export type ActionAnswer = { refusal: string } | { label: string; secret: string } | { done: string };

type ActionFormProps = {
  action: (before: ActionAnswer | null, sent: FormData) => Promise<ActionAnswer>;
  submit: string;
  /** Of forms that look alike: which one it is. */
  label?: string;
  isDanger?: boolean;
  isMain?: boolean;
  className?: string;
  children?: ReactNode;
};

export function ActionForm({ action, submit, label, isDanger, isMain, className, children }: ActionFormProps) {
  const [answer, send, isPending] = useActionState(action, null);
  const look = isDanger ? "control border-waste-line! text-waste!" : isMain ? "control control-primary" : "control";
  return (
    <form
      action={send}
      aria-busy={isPending}
      aria-label={label}
      className={className ?? "flex flex-wrap items-end gap-3 py-1"}
    >
      {children}
      <button type="submit" className={look} aria-label={label} disabled={isPending}>
        {submit}
      </button>
      {answer !== null && <Answer answer={answer} />}
    </form>
  );
}

function Answer({ answer }: { answer: ActionAnswer }) {
  if ("refusal" in answer)
    return (
      <p role="alert" className="basis-full text-waste">
        {answer.refusal}
      </p>
    );
  if ("done" in answer)
    return (
      <p role="status" className="basis-full text-ink-2">
        {answer.done}
      </p>
    );
  return (
    <div role="status" className="basis-full">
      <p className="mb-1 font-medium text-ink-2 text-note">{answer.label}</p>
      <pre className="code-block select-all">{answer.secret}</pre>
    </div>
  );
}
