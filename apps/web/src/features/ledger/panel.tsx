/** A titled panel: the one box that tables and charts stand in. */
import type { ReactNode } from "react";
import { PanelExport } from "#components/panel-export";

type PanelProps = { id?: string; title: string; note?: ReactNode; aside?: ReactNode; children: ReactNode };

export function Panel({ id, title, note, aside, children }: PanelProps) {
  return (
    <section id={id} className="panel" aria-label={title}>
      <div className="flex flex-wrap items-baseline gap-x-2.5 px-4 pt-[11px]">
        <h2 className="font-[650]">{title}</h2>
        {note !== undefined && <span className="text-ink-3 text-note">{note}</span>}
        <div className="ml-auto flex gap-2.5 text-note">
          {aside}
          <PanelExport title={title} />
        </div>
      </div>
      {children}
    </section>
  );
}
