/** Names and values under each other: facts of a span, or attributes in monospace. */
import { clsx } from "clsx";
import type { ReactNode } from "react";

export function Facts({ rows, mono }: { rows: readonly (readonly [string, ReactNode])[]; mono?: boolean }) {
  return (
    <dl className="grid grid-cols-[minmax(84px,auto)_minmax(0,1fr)] gap-x-2.5 gap-y-1 text-note">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className={clsx("text-ink-3", mono === true && "max-w-[190px] break-words font-mono text-axis")}>
            {name}
          </dt>
          <dd className={clsx("break-words", mono === true && "font-mono text-axis")}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
