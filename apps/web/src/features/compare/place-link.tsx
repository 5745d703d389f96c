/** A figure that opens its run where that shows it. */
import type { TraceRow } from "@centspan/model";
import type { Place } from "@centspan/ui";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";

type LinkProps = { page: Page; run: TraceRow; place: Place | null; children: ReactNode };

export function PlaceLink({ page, run, place, children }: LinkProps) {
  if (place === null) return children;
  const path = `/runs/${run.traceId}`;
  const href = "spanId" in place ? page.href(path, { span: place.spanId }) : `${page.href(path)}#${place.panel}`;
  return (
    <PageLink className="figure-link" href={href}>
      {children}
    </PageLink>
  );
}
