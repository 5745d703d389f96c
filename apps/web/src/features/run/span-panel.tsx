"use client";
/** The chosen span whole: ids, times, what it cost line by line, what was paid twice, every attribute, events, links, logs. */
import type { CallRow, LogRow, SpanDetail } from "@centspan/model";
import {
  formatCount,
  formatDuration,
  formatPrecise,
  groupAttributes,
  type Language,
  parseInstantNs,
  prepareCharge,
} from "@centspan/ui";
import type { ReactNode } from "react";
import { type Catalogue, getCatalogue } from "#i18n";
import { Evidence } from "../waste/evidence.tsx";
import { Facts } from "./facts.tsx";
import { prepareLogs } from "./prepare-logs.ts";
import { CopyButton } from "./waterfall/copy-button.tsx";
import { partAddress, promptAddress } from "./waterfall/part-address.ts";
import type { Part } from "./waterfall/run-parts.ts";
import { loadSpan, useLoaded } from "./waterfall/use-parts.ts";
import { splitSelection } from "./waterfall-state.ts";

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

type LinksProps = { span: SpanDetail; traceId: string; t: Catalogue; onSelect(id: string): void };

/** To a span of this trace one goes in its rows; one of another trace opens beside them, and its own run from there. */
function Links({ span, traceId, t, onSelect }: LinksProps) {
  if (span.links.length === 0) return null;
  return (
    <Section title={`${t.links} (${formatCount(span.links.length)})`}>
      <ul className="font-mono text-axis leading-[1.7]">
        {span.links.slice(0, MOST_LINKS).map((link) => (
          <li key={`${link.traceId}:${link.spanId}`} className="truncate">
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => onSelect(link.traceId === traceId ? link.spanId : `${link.traceId}:${link.spanId}`)}
            >
              {link.traceId === traceId ? "" : `${link.traceId.slice(0, 8)}…:`}
              {link.spanId}
            </button>
          </li>
        ))}
      </ul>
      {span.links.length > MOST_LINKS && (
        <p className="text-axis text-ink-3">{t.manyLinks(formatCount(span.links.length - MOST_LINKS))}</p>
      )}
    </Section>
  );
}

function Logs({ logs, span, t }: { logs: readonly LogRow[]; span: SpanDetail; t: Catalogue }) {
  if (logs.length === 0) return null;
  return (
    <Section title={`${t.logRecords} (${formatCount(logs.length)})`}>
      <ul className="text-note">
        {prepareLogs(logs, parseInstantNs(span.startedAt)).map((line) => (
          <li key={line.key} className="border-line border-t py-1">
            <span className="text-ink-3">{line.offset}</span>{" "}
            {line.severity?.isAttention && <b>{line.severity.text}</b>} {line.event}{" "}
            <span className="break-words text-ink-2">{line.says}</span>
          </li>
        ))}
      </ul>
    </Section>
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
  run: string;
  traceId: string;
  selected: string;
  language: Language;
  layer: string;
  isCritical: boolean;
  logs: readonly LogRow[];
  onSelect(id: string): void;
  onZoom(): void;
  onClose(): void;
};

export default function SpanPanel(props: PanelProps) {
  const { run, selected, language, onClose } = props;
  const t = getCatalogue(language);
  const loaded = useLoaded(loadSpan, partAddress(run, "span", { span: selected }));
  return (
    <aside className="panel wf-side" aria-label={t.selectedSpan} aria-busy={loaded.state === "loading"}>
      {loaded.state === "there" && <Whole {...props} part={loaded.value} t={t} />}
      {loaded.state === "failed" && (
        <p className="flex gap-3 p-4 text-ink-2">
          {t.spanGone}
          <button type="button" className="ml-auto text-accent text-note" onClick={onClose}>
            {t.closePanel}
          </button>
        </p>
      )}
    </aside>
  );
}

function Whole(props: PanelProps & { part: Part<"span">; t: Catalogue }) {
  const { part, t, traceId, selected, layer, isCritical, onZoom, onClose } = props;
  const { span, calls, waste, words } = part;
  const durationNs = BigInt(span.durationNs);
  const isHere = splitSelection(selected, traceId).traceId === traceId;
  const duration = durationNs < 0n ? t.flagOf.unfinished : formatDuration(durationNs);
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-2 px-4 pt-[11px]">
        <h2 className="break-all font-[650]">{span.name}</h2>
        {layer !== "" && <span className="tag">{layer}</span>}
        <button type="button" className="ml-auto text-accent text-note hover:underline" onClick={onClose}>
          {t.closePanel}
        </button>
      </div>
      {waste.map((item) => {
        const text = words[item.cause] ?? { title: item.cause, describe: "", remedy: item.remedy };
        return (
          <div key={item.itemId} className="mx-4 mt-2 border-waste border-l-[3px] bg-waste-weak px-3 py-2">
            <Evidence item={item} words={text} t={t} />
            <p className="mt-2 text-note">
              <b className="font-semibold">{t.remedy}</b> {text.remedy}
            </p>
          </div>
        );
      })}
      <div className="px-4 pt-2 pb-4">
        <Facts
          rows={[
            [t.startedAt, formatPrecise(parseInstantNs(span.startedAt))],
            [t.duration, isCritical ? `${duration}, ${t.criticalPath}` : duration],
            [t.service, span.service],
            [t.kind, span.kind],
            [t.status, span.statusMessage === "" ? span.status : `${span.status}: ${span.statusMessage}`],
            [t.spanId, <code key="id">{span.spanId}</code>],
            ...(span.parentSpanId === "" ? [] : [[t.parent, <code key="parent">{span.parentSpanId}</code>] as const]),
          ]}
        />
        <p className="mt-2.5 flex flex-wrap gap-1.5">
          {isHere ? (
            <button type="button" className="control h-6! px-2!" onClick={onZoom}>
              {t.zoomHere}
            </button>
          ) : (
            <a className="control h-6! px-2!" href={`/runs/${span.traceId}?span=${span.spanId}`}>
              {t.toItsRun}
            </a>
          )}
          {isHere && calls.length > 0 && (
            <a className="control h-6! px-2!" href={promptAddress(props.run, span.spanId)}>
              {t.compareCallBefore}
            </a>
          )}
          <CopyButton
            small
            words={t.waterfallWords}
            label={t.waterfallWords.copyJson}
            text={() => JSON.stringify(span, null, 2)}
          />
        </p>
        {calls.map((call) => (
          <Charge key={call.callId} call={call} t={t} />
        ))}
        <Links span={span} traceId={traceId} t={t} onSelect={props.onSelect} />
        <Logs logs={props.logs} span={span} t={t} />
        {span.hidden.length > 0 && (
          <p className="mt-3.5 text-ink-3 text-note">{t.contentHidden(span.hidden.join(", "))}</p>
        )}
        <Attributes span={span} t={t} />
      </div>
    </>
  );
}
