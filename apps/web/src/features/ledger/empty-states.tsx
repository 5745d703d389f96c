/** First start, and a period without spend: what to do next, with the commands. */
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";
import { describeConnections } from "../sources/connections.ts";

export function EmptyWorkspace({ page }: { page: Page }) {
  const { t } = page;
  const { demo, gateway, imports } = describeConnections(process.env);
  const steps = [
    [t.emptyDemo, demo],
    [t.emptyAgent, gateway],
    [t.emptyImport, imports],
  ] as const;
  return (
    <section className="panel max-w-[760px] p-4">
      <h2 className="font-[650] text-figure">{t.emptyTitle}</h2>
      <p className="mb-3 text-ink-2">{t.emptyText}</p>
      {steps.map(([title, command]) => (
        <div key={title} className="mb-3">
          <h3 className="mb-1 font-medium text-note">{title}</h3>
          <pre className="code-block">{command}</pre>
        </div>
      ))}
      <PageLink className="control control-primary" href={page.href("/sources")}>
        {t.howToConnect}
      </PageLink>
    </section>
  );
}

export function EmptyPeriod({ page }: { page: Page }) {
  const { t } = page;
  return (
    <section className="panel max-w-[640px] p-4">
      <h2 className="font-[650] text-figure">{t.emptyPeriodTitle}</h2>
      <p className="mb-3 text-ink-2">{t.emptyPeriodText}</p>
      <PageLink className="control" href={page.here({ period: "all", from: null, to: null })}>
        {t.seeAllTime}
      </PageLink>
    </section>
  );
}
