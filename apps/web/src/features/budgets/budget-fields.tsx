"use client";
/** A budget's form: fields with what was entered, each with what it means or, once the server has read it, what is wrong. */
import { type ReactNode, useActionState } from "react";
import { PageLink } from "#components/page-link";
import type { BudgetField, BudgetState, BudgetTexts } from "./budget-form.ts";

type FormProps = {
  t: BudgetTexts;
  label: string;
  initial: BudgetState;
  action: (before: BudgetState, sent: FormData) => Promise<BudgetState>;
  isNew: boolean;
  /** Subjects that are known, each with what it is called. */
  subjects: readonly { id: string; name: string }[];
  cancelHref: string;
};
type FieldsProps = Omit<FormProps, "initial" | "action" | "label"> & { state: BudgetState };

export function BudgetFormPanel({ initial, action, label, ...props }: FormProps) {
  const [state, submit, isPending] = useActionState(action, initial);
  return (
    <form action={submit} aria-label={label} aria-busy={isPending}>
      {/* What was entered takes the place of what the browser would put back. */}
      <BudgetFields key={state.attempt} state={state} {...props} />
    </form>
  );
}

type FieldProps = { props: FieldsProps; field: BudgetField; children: (own: OwnProps) => ReactNode };
type OwnProps = { id: string; name: string; defaultValue: string; "aria-invalid": boolean; "aria-describedby": string };

function Field({ props: { t, state }, field, children }: FieldProps) {
  const isWrong = state.problems.includes(field);
  const noteId = `budget-${field}-note`;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label htmlFor={`budget-${field}`} className="font-medium text-ink-2 text-note">
        {t.budgetField[field]}
      </label>
      {children({
        id: `budget-${field}`,
        name: field,
        defaultValue: state.form[field],
        "aria-invalid": isWrong,
        "aria-describedby": noteId,
      })}
      <p id={noteId} className={isWrong ? "text-note text-waste" : "text-axis text-ink-3"}>
        {isWrong ? t.budgetProblem[field] : t.budgetHint[field]}
      </p>
    </div>
  );
}

function Choice({ own, options }: { own: OwnProps; options: Readonly<Record<string, string>> }) {
  return (
    <select className="field w-full" {...own}>
      {Object.entries(options).map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  );
}

const Text = ({ own, ...rest }: { own: OwnProps; list?: string; inputMode?: "decimal" }) => (
  <input className="field w-full" autoComplete="off" {...own} {...rest} />
);

function BudgetFields(props: FieldsProps) {
  const { t, state, isNew, subjects, cancelHref } = props;
  const { form, refusal } = state;
  return (
    <div className="px-4 pt-2 pb-3.5">
      {(refusal !== null || state.problems.length > 0) && (
        <p role="alert" className="mb-3 rounded-control border border-waste-line bg-waste-weak px-3 py-2">
          {refusal ?? t.budgetNotSaved}
        </p>
      )}
      <div className="grid grid-cols-4 gap-x-4 gap-y-3 max-lg:grid-cols-2 max-sm:grid-cols-1">
        <Field props={props} field="name">
          {(own) => <Text own={own} />}
        </Field>
        <Field props={props} field="scope">
          {(own) => <Choice own={own} options={t.budgetScope} />}
        </Field>
        <Field props={props} field="subject">
          {(own) => <Text own={own} list="budget-subjects" />}
        </Field>
        <Field props={props} field="limitUsd">
          {(own) => <Text own={own} inputMode="decimal" />}
        </Field>
        <Field props={props} field="period">
          {(own) => <Choice own={own} options={t.budgetPeriod} />}
        </Field>
        <Field props={props} field="timeZone">
          {(own) => <Text own={own} />}
        </Field>
        <Field props={props} field="enforcement">
          {(own) => <Choice own={own} options={t.budgetEnforcement} />}
        </Field>
        <Field props={props} field="unpriced">
          {(own) => <Choice own={own} options={t.budgetUnpriced} />}
        </Field>
        <Field props={props} field="thresholds">
          {(own) => <Text own={own} />}
        </Field>
        <Field props={props} field="forecast">
          {({ defaultValue: _text, ...own }) => (
            <input className="my-[7px] size-4" type="checkbox" defaultChecked={form.forecast === "on"} {...own} />
          )}
        </Field>
        <Field props={props} field="webhook">
          {(own) => <Text own={own} />}
        </Field>
        <Field props={props} field="email">
          {(own) => <Text own={own} />}
        </Field>
      </div>
      <datalist id="budget-subjects">
        {subjects.map(({ id, name }) => (
          <option key={`${id} ${name}`} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <div className="mt-4 flex items-center gap-2">
        <button type="submit" className="control control-primary">
          {isNew ? t.makeBudget : t.saveBudget}
        </button>
        <PageLink className="control" href={cancelHref}>
          {t.cancel}
        </PageLink>
        <span className="text-note text-ink-3">{isNew ? t.budgetCounts : t.budgetKeeps}</span>
      </div>
    </div>
  );
}
