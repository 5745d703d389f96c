/** The selected span whole: ids, times, what it cost line by line, every attribute, events and links. Made on the server. */
import type { CallRow, SpanDetail, WasteItemRow } from "@centspan/model";
import {
  formatCount,
  formatDuration,
  formatPrecise,
  groupAttributes,
  parseInstantNs,
  prepareCharge,
  type StepLane,
} from "@centspan/ui";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import type { Page } from "../page/page.ts";
import { Evidence } from "../waste/evidence.tsx";
import type { CauseWords } from "../waste/words-of-cause.ts";
import { Facts } from "./facts.tsx";

const MOST_LINKS = 8;

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-3.5">
      <h3 className="mb-1 font-[650] text-note">{title}</h3>
      {children}
    </section>
  );
}

function Charge({ call, t }: { call: CallRow; t: Catalogue }) {
  const charge = prepareCharge(call);
  return (
    <Section title={t.charge}>
      {call.costStatus !== "rated" && (
        <p className="mb-1 text-note">
          <span className="tag tag-attention">{t.costStatusOf[call.costStatus]}</span> {call.quarantineReason}
        </p>
      )}
      <table className="w-full text-note">
        <tbody>
          {charge.lines.map((line) => (
            <tr key={line.meter} className="border-line border-b">
              <td className="py-1 leading-tight">
                {t.meterOf[line.meter]}
                <br />
                <span className="text-axis text-ink-3">{t.perMillion(line.quantity, line.price)}</span>
              </td>
              <td className="py-1 text-right align-top">{line.amount}</td>
            </tr>
          ))}
        </tbody>
        {charge.total !== null && (
          <tfoot>
            <tr className="font-[650]">
              <td className="py-1.5">
                {t.chargeTotal}{" "}
                <span className="font-normal text-axis text-ink-3">{t.priceEntry(charge.priceEntries.join(", "))}</span>
              </td>
              <td className="py-1.5 text-right">{charge.total}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {charge.provided !== null && <p className="text-axis text-ink-3">{t.providedCost(charge.provided)}</p>}
    </Section>
  );
}

function Links({ page, span, lane }: { page: Page; span: SpanDetail; lane: StepLane | null }) {
  const { t } = page;
  const spanHref = (link: { traceId: string; spanId: string }) => page.here({ span: `${link.traceId}:${link.spanId}` });
  return (
    <>
      {lane !== null && (
        <Section title={t.slowestSteps}>
          <ul className="text-note leading-[1.7]">
            {lane.slowest.map((step) => (
              <li key={step.spanId} className="flex justify-between">
                <PageLink className="font-mono" scroll={false} href={spanHref(step)}>
                  {step.spanId}
                </PageLink>
                <span>{formatDuration(step.timeNs)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {span.links.length > 0 && (
        <Section title={`${t.links} (${formatCount(span.links.length)})`}>
          <ul className="font-mono text-axis leading-[1.7]">
            {span.links.slice(0, MOST_LINKS).map((link) => (
              <li key={`${link.traceId}:${link.spanId}`} className="truncate">
                <PageLink scroll={false} href={spanHref(link)}>
                  {link.traceId.slice(0, 8)}…:{link.spanId}
                </PageLink>
              </li>
            ))}
          </ul>
          {span.links.length > MOST_LINKS && (
            <p className="text-axis text-ink-3">{t.manyLinks(formatCount(span.links.length - MOST_LINKS))}</p>
          )}
        </Section>
      )}
    </>
  );
}

function Attributes({ span, t }: { span: SpanDetail; t: Catalogue }) {
  return (
    <>
      <Section title={t.attributes}>
        {groupAttributes(span.attributes).map((group) => (
          <div key={group.prefix} className="border-line border-t py-1.5">
            <Facts mono rows={group.entries.map(({ name, value }) => [name, value])} />
          </div>
        ))}
      </Section>
      {span.events.length > 0 && (
        <Section title={t.events}>
          {span.events.map((event) => (
            <div key={`${event.at}${event.name}`} className="border-line border-t py-1.5">
              <p className="text-note">
                {formatPrecise(parseInstantNs(event.at))} {event.name}
              </p>
              <Facts mono rows={Object.entries(event.attributes)} />
            </div>
          ))}
        </Section>
      )}
      <details className="mt-3.5">
        <summary className="cursor-pointer font-[650] text-note">{t.resource}</summary>
        <Facts mono rows={Object.entries(span.resourceAttributes).sort()} />
      </details>
    </>
  );
}

type PanelProps = {
  page: Page;
  span: SpanDetail;
  layer: string;
  call: CallRow | null;
  lane: StepLane | null;
  critical: boolean;
  /** What was paid for twice at this span. */
  waste: readonly WasteItemRow[];
  wordsOf: CauseWords;
};

export function SpanPanel({ page, span, layer, call, lane, critical, waste, wordsOf }: PanelProps) {
  const { t } = page;
  const durationNs = BigInt(span.durationNs);
  const inThisTrace = !page.params.span?.includes(":");
  const duration = durationNs < 0n ? t.flagOf.unfinished : formatDuration(durationNs);
  return (
    <aside className="panel self-start" aria-label={t.selectedSpan}>
      <div className="flex flex-wrap items-baseline gap-2 px-4 pt-[11px]">
        <h2 className="break-all font-[650]">{span.name}</h2>
        {layer !== "" && <span className="tag">{layer}</span>}
        <PageLink className="ml-auto text-note" href={page.here({ span: null })} scroll={false}>
          {t.closePanel}
        </PageLink>
      </div>
      {waste.map((item) => (
        <div key={item.itemId} className="mx-4 mt-2 border-waste border-l-[3px] bg-waste-weak px-3 py-2">
          <Evidence item={item} words={wordsOf(item.cause)} t={t} />
          <p className="mt-2 text-note">
            <b className="font-semibold">{t.remedy}</b> {wordsOf(item.cause).remedy}
          </p>
        </div>
      ))}
      <div className="px-4 pt-2 pb-4">
        <Facts
          rows={[
            [t.startedAt, formatPrecise(parseInstantNs(span.startedAt))],
            [t.duration, critical ? `${duration}, ${t.criticalPath}` : duration],
            [t.service, span.service],
            [t.kind, span.kind],
            [t.status, span.statusMessage === "" ? span.status : `${span.status}: ${span.statusMessage}`],
            [t.spanId, <code key="id">{span.spanId}</code>],
            ...(span.parentSpanId === "" ? [] : [[t.parent, <code key="parent">{span.parentSpanId}</code>] as const]),
          ]}
        />
        <p className="mt-2.5 flex gap-1.5">
          {inThisTrace && (
            <PageLink className="control h-6! px-2!" href={page.here({ zoom: span.spanId })} scroll={false}>
              {t.zoomHere}
            </PageLink>
          )}
        </p>
        {call !== null && <Charge call={call} t={t} />}
        <Links page={page} span={span} lane={lane} />
        {span.hidden.length > 0 && (
          <p className="mt-3.5 text-ink-3 text-note">{t.contentHidden(span.hidden.join(", "))}</p>
        )}
        <Attributes span={span} t={t} />
      </div>
    </aside>
  );
}

export function MissingSpanPanel({ page }: { page: Page }) {
  const { t } = page;
  return (
    <aside className="panel self-start p-4" aria-label={t.selectedSpan}>
      <p className="text-ink-2">{t.spanGone}</p>
      <PageLink className="text-note" href={page.here({ span: null })} scroll={false}>
        {t.closePanel}
      </PageLink>
    </aside>
  );
}
