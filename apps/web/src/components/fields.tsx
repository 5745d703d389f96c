/** Fields of small forms, each with its name above it. */
import type { ComponentProps } from "react";

const LABEL = "flex flex-col gap-1 font-medium text-ink-2 text-note";

type TextFieldProps = { label: string; hint?: string } & Omit<ComponentProps<"input">, "className">;

export function TextField({ label, hint, ...input }: TextFieldProps) {
  return (
    <label className={LABEL}>
      {label}
      <input className="field" {...input} />
      {hint !== undefined && <span className="font-normal text-axis text-ink-3">{hint}</span>}
    </label>
  );
}

type ChoiceFieldProps = {
  label: string;
  name: string;
  chosen: string;
  choices: readonly (readonly [string, string])[];
};

export function ChoiceField({ label, name, chosen, choices }: ChoiceFieldProps) {
  return (
    <label className={LABEL}>
      {label}
      <select className="field" name={name} defaultValue={chosen}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
