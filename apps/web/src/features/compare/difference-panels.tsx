/** What the difference of two runs is made of: meters, models, causes of waste, tools, and where the time went. */
import type { ComparedCause, Walk } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { DeviationBar } from "#components/deviation-bar";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { CauseWords } from "../waste/words-of-cause.ts";
import { type Compared, ends } from "./compared.ts";
import { PlaceLink } from "./place-link.tsx";

type Bar = ComparedCause["bar"];

/** The bar of a difference and the difference, at the end of a row. */
function Difference({ text, bar }: { text: string; bar: Bar }) {
  return (
    <>
      <td className="cell-wide w-[16%]">
        <DeviationBar bar={bar} />
      </td>
      <td className="num">{text}</td>
    </>
  );
}

const differenceHeadings = (name: string) => [{ text: name, isForReadersOnly: true, isWide: true }, figures("B − A")];

export function MetersPanel({ page: { t }, view }: Compared) {
  const meters: Readonly<Record<string, string>> = t.meterOf;
  return (
    <Panel title={t.madeOf} note={t.madeOfNote}>
      <DataTable
        headings={[
          t.group.meter,
          wideFigures(`A, ${t.tokensOrCount}`),
          figures("A"),
          wideFigures(`B, ${t.tokensOrCount}`),
          figures("B"),
          ...differenceHeadings(t.difference),
        ]}
        foot={
          view.difference !== null && (
            <tr>
              <td>{t.all}</td>
              <td className="cell-wide" />
              <td className="num">{view.figures[0]?.values[0]}</td>
              <td className="cell-wide" />
              <td className="num">{view.figures[0]?.values[1]}</td>
              <td className="cell-wide" />
              <td className="num">{view.difference}</td>
            </tr>
          )
        }
      >
        {view.meters.map(({ meter, tokens: [a, b], costs, difference, bar }) => (
          <tr key={meter}>
            <td>{meters[meter] ?? meter}</td>
            <td className="num cell-wide text-ink-3">{a}</td>
            <td className="num">{costs[0]}</td>
            <td className="num cell-wide text-ink-3">{b}</td>
            <td className="num">{costs[1]}</td>
            <Difference text={difference} bar={bar} />
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

export function ModelsPanel({ page: { t }, view }: Compared) {
  return (
    <Panel title={t.byModel}>
      <DataTable
        headings={[
          t.model,
          wideFigures(`A, ${t.calls.toLowerCase()}`),
          figures("A"),
          wideFigures(`B, ${t.calls.toLowerCase()}`),
          figures("B"),
          figures("B − A"),
        ]}
      >
        {view.models.map(({ model, calls, costs, difference }) => (
          <tr key={model}>
            <td>{model || t.notKnown}</td>
            <td className="num cell-wide text-ink-3">{calls[0]}</td>
            <td className="num">{costs[0]}</td>
            <td className="num cell-wide text-ink-3">{calls[1]}</td>
            <td className="num">{costs[1]}</td>
            <td className="num">{difference}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

export function TimePanel({ page: { t }, time }: Compared & { time: Walk["time"] }) {
  return (
    <Panel title={t.whereTimeWent} note={t.whereTimeWentNote}>
      <DataTable headings={[t.kind, figures("A"), figures("B"), ...differenceHeadings(t.difference)]}>
        {time.map(({ kind, seconds, difference, bar }) => (
          <tr key={kind}>
            <td className="max-sm:whitespace-normal">{t.workKind[kind]}</td>
            <td className="num">{seconds[0]}</td>
            <td className="num">{seconds[1]}</td>
            <Difference text={difference} bar={bar} />
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

export function CausesPanel({ page, runs, view, wordsOf }: Compared & { wordsOf: CauseWords }) {
  const { t } = page;
  return (
    <Panel title={t.wasteBeside} note={t.wasteBesideNote}>
      <DataTable
        headings={[
          t.group.cause,
          wide(t.layer),
          figures("A"),
          figures("B"),
          wideFigures(`A, ${t.timeHeading.toLowerCase()}`),
          wideFigures(`B, ${t.timeHeading.toLowerCase()}`),
          ...differenceHeadings(t.difference),
        ]}
      >
        {view.causes.map(({ cause, layer, costs, times, difference, bar, places }) => (
          <tr key={cause}>
            <td className="max-w-[320px] truncate max-sm:max-w-[110px]">
              <PageLink href={page.href(`/waste/${encodeURIComponent(cause)}`)}>{wordsOf(cause).title}</PageLink>
            </td>
            <td className="cell-wide text-ink-2">{t.layerOf[layer]}</td>
            {ends(costs).map(([cost, at]) => (
              <td key={at} className="num">
                <PlaceLink page={page} run={runs[at]} place={places[at]}>
                  {places[at] === null ? "–" : cost}
                </PlaceLink>
              </td>
            ))}
            {ends(times).map(([time, at]) => (
              <td key={at} className="num cell-wide text-ink-2">
                {time ?? "–"}
              </td>
            ))}
            <Difference text={difference} bar={bar} />
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

export function ToolsPanel({ page, runs, tools }: Compared & { tools: Walk["tools"] }) {
  const { t } = page;
  return (
    <Panel title={t.toolsBeside} note={t.toolsBesideNote}>
      <DataTable
        headings={[
          t.tool,
          figures(`A, ${t.calls.toLowerCase()}`),
          figures(`B, ${t.calls.toLowerCase()}`),
          wideFigures(`A, ${t.duration.toLowerCase()}`),
          wideFigures(`B, ${t.duration.toLowerCase()}`),
        ]}
      >
        {tools.map(({ tool, calls, failed, seconds, places }) => (
          <tr key={tool}>
            <td className="font-mono text-note">{tool}</td>
            {ends(calls).map(([count, at]) => (
              <td key={at} className="num">
                <PlaceLink page={page} run={runs[at]} place={places[at]}>
                  {count}
                </PlaceLink>
                {failed[at] > 0 && (
                  <>
                    {" "}
                    <span className="tag tag-attention">{t.countFailed(String(failed[at]))}</span>
                  </>
                )}
              </td>
            ))}
            {ends(seconds).map(([time, at]) => (
              <td key={at} className="num cell-wide text-ink-2">
                {time}
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
