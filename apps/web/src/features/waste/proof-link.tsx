/** Leads to the call in its run that shows what is said of it. */
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";

type ProofProps = {
  page: Pick<Page, "t" | "href">;
  place: { traceId: string; spanId: string } | null;
  /** What it is a proof of, for those who hear links one by one. */
  of: string;
  text?: string;
};

export function ProofLink({ page: { t, href }, place, of, text = t.proof }: ProofProps) {
  if (place === null) return <span className="text-ink-3">–</span>;
  return (
    <PageLink href={href(`/runs/${place.traceId}`, { span: place.spanId })} aria-label={`${text}: ${of}`}>
      {text}
    </PageLink>
  );
}
