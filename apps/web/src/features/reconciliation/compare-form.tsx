"use client";
/** A provider's file to compare with the ledger, and under it what came of it. */
import { useActionState } from "react";
import { Panel } from "../ledger/panel.tsx";
import { CompareResult } from "./compare-result.tsx";
import type { CompareState, CompareTexts } from "./compare-state.ts";

type FormProps = {
  t: CompareTexts;
  action: (before: CompareState, sent: FormData) => Promise<CompareState>;
};

const NOTHING: CompareState = { aliasText: "", refusal: null, view: null };

export function CompareForm({ t, action }: FormProps) {
  const [state, submit, isPending] = useActionState(action, NOTHING);
  return (
    <>
      <Panel title={t.compare}>
        <form action={submit} aria-label={t.compare} aria-busy={isPending} className="px-4 pt-2 pb-3.5">
          <div className="grid grid-cols-2 gap-x-6 gap-y-3 max-lg:grid-cols-1">
            <label className="flex flex-col gap-1 font-medium text-ink-2 text-note">
              {t.fileToCompare}
              <input
                className="file-field"
                type="file"
                name="file"
                accept=".csv,.json,text/csv,application/json"
                required
              />
              <span className="font-normal text-axis text-ink-3">{t.fileHint}</span>
            </label>
            <label className="flex flex-col gap-1 font-medium text-ink-2 text-note">
              {t.aliases}
              <textarea
                className="field h-[62px]! py-1.5! font-mono"
                name="aliases"
                key={state.aliasText}
                defaultValue={state.aliasText}
                placeholder="proj_9=payments"
                spellCheck={false}
              />
              <span className="font-normal text-axis text-ink-3">{t.aliasesHint}</span>
            </label>
          </div>
          <div className="mt-3 flex items-center gap-3">
            <button type="submit" className="control control-primary" disabled={isPending}>
              {isPending ? t.comparing : t.compare}
            </button>
          </div>
          {state.refusal !== null && (
            <div role="alert" className="mt-3 rounded-control border border-waste-line bg-waste-weak px-3 py-2">
              <p className="font-semibold">{t.fileRefused}</p>
              <p className="break-words">{state.refusal}</p>
            </div>
          )}
        </form>
      </Panel>
      {state.view !== null && <CompareResult t={t} view={state.view} />}
    </>
  );
}
