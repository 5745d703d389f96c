/** What is to be approved, and the form that decides it; without the page's code too. */
import type { ApprovalRow } from "@centspan/model";
import type { Language } from "#i18n";
import { decide } from "./actions.ts";
import { getApprovalTexts } from "./texts.ts";

type Props = {
  token: string;
  /** Null for a link that is none. */
  approval: ApprovalRow | null;
  isOver: boolean;
  said: string | undefined;
  problem: string | undefined;
  language: Language;
};

export function ApprovalView({ token, approval, isOver, said, problem, language }: Props) {
  const t = getApprovalTexts(language);
  return (
    <main id="main" className="flex max-w-[640px] flex-col gap-4 p-6">
      <h1 className="font-[650] text-figure">{t.title}</h1>
      {approval === null ? <p>{t.unknown}</p> : <Question approval={approval} language={language} />}
      {problem && (
        <p role="alert" className="text-waste">
          {problem}
        </p>
      )}
      {approval && <Answer {...{ token, approval, isOver, said, language }} />}
    </main>
  );
}

function Question({ approval, language }: { approval: ApprovalRow; language: Language }) {
  const t = getApprovalTexts(language);
  return (
    <>
      <p className="text-ink-2">
        {t.asks(approval.askedBy, `${approval.expiresAt.slice(0, 16).replace("T", " ")} UTC`)}
      </p>
      <p className="whitespace-pre-wrap">{approval.question}</p>
      <p className="text-ink-2">
        {t.about}:{" "}
        {Object.entries(approval.subject)
          .map(([name, value]) => `${name} ${value}`)
          .join(", ")}
      </p>
    </>
  );
}

function Answer({
  token,
  approval,
  isOver,
  said,
  language,
}: Omit<Props, "approval" | "problem"> & { approval: ApprovalRow }) {
  const t = getApprovalTexts(language);
  if (said === "approved" || said === "refused") return <p role="status">{t[said]}</p>;
  if (approval.decidedAt !== null) return <p>{t.decided}</p>;
  if (isOver) return <p>{t.over}</p>;
  return (
    <form action={decide.bind(null, token)} className="flex flex-col gap-3">
      <label className="flex flex-col gap-1">
        {t.name}
        <input className="control" name="by" required maxLength={100} autoComplete="name" />
      </label>
      <label className="flex flex-col gap-1">
        {t.minutes}
        <input
          className="control"
          name="minutes"
          type="number"
          min={0}
          max={approval.maxReviewMinutes}
          defaultValue={0}
        />
      </label>
      <label className="flex flex-col gap-1">
        {t.note}
        <textarea className="control h-20" name="note" maxLength={2000} />
      </label>
      <p className="text-ink-3">{t.accountable}</p>
      <div className="flex gap-2">
        <button className="control control-primary" type="submit" name="decision" value="approve">
          {t.approve}
        </button>
        <button className="control" type="submit" name="decision" value="refuse">
          {t.refuse}
        </button>
      </div>
    </form>
  );
}
