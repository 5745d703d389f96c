/** One run: facts, context per turn, the waterfall across the three layers, the selected span. */
import type { OutcomeRow, TraceRow } from "@centspan/model";
import {
  type Balance,
  formatCount,
  formatDuration,
  formatMoney,
  formatShare,
  headlineDecimals,
  layerColour,
  ProvenanceMark,
  prepareBalance,
  prepareTurns,
  prepareWaterfall,
  TurnChart,
  type Waterfall,
} from "@centspan/ui";
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import { RowsOnRequest } from "../ledger/rows-on-request.tsx";
import type { Page } from "../page/page.ts";
import { AttemptBox, OutcomeText } from "../runs/outcome-text.tsx";
import { BalancePanel } from "./balance-panel.tsx";
import type { Run } from "./load-run.ts";
import { LogPanel } from "./log-panel.tsx";
import { MissingSpanPanel, SpanPanel } from "./span-panel.tsx";
import { readView } from "./waterfall-state.ts";
import { WaterfallTable } from "./waterfall-table.tsx";

function describeEvidence(outcome: OutcomeRow | null, page: Page): string | null {
  const { passed, failed, exitCode } = outcome?.evidence ?? {};
  const { t } = page;
  if (typeof passed === "number" && typeof failed === "number") {
    return t.testsPassed(formatCount(passed), formatCount(passed + failed));
  }
  return typeof exitCode === "number" ? t.exitCode(String(exitCode)) : null;
}

const costText = ({ costUsd, calls }: TraceRow, page: Page): string => {
  if (costUsd !== null) return formatMoney(costUsd, Math.max(4, headlineDecimals(costUsd)));
  return calls === 0 ? "–" : page.t.unpriced;
};

function Attempts({ run, page }: { run: Run; page: Page }) {
  const { attempts, trace } = run;
  const { t } = page;
  const { rows, more } = attempts;
  if (rows.length < 2) return null;
  const at = rows.findIndex((attempt) => attempt.traceId === trace.traceId);
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      {more
        ? t.newestAttempts(formatCount(rows.length))
        : at >= 0 && t.attemptOf(formatCount(at + 1), formatCount(rows.length))}
      <span className="flex gap-1">
        {rows.map((attempt) => (
          <PageLink
            key={attempt.traceId}
            href={page.href(`/runs/${attempt.traceId}`)}
            aria-current={attempt.traceId === trace.traceId ? "page" : undefined}
            className={clsx(
              "rounded-[3px]",
              attempt.traceId === trace.traceId && "outline-1 outline-accent outline-offset-1",
            )}
            title={attempt.model}
          >
            <AttemptBox outcome={attempt.outcome} t={t} />
          </PageLink>
        ))}
      </span>
    </p>
  );
}

type FactsProps = { run: Run; page: Page; turns: number; balance: Balance | null };

function Facts({ run, page, turns, balance }: FactsProps) {
  const { trace, buckets, outcome, attempts, taskSpendUsd } = run;
  const { t } = page;
  const prompt = buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;
  const mark =
    trace.provenance === null ? null : (
      <ProvenanceMark kind={trace.provenance} label={t.provenanceOf[trace.provenance]} />
    );
  const share = formatShare(buckets.cacheRead, prompt);
  const durationNs = BigInt(trace.durationNs);
  return (
    <FigureStrip label={t.runFacts}>
      <Figure label={t.cost} mark={mark} value={costText(trace, page)}>
        {balance !== null && (
          <p>
            <a className="font-semibold text-waste" href="#balance">
              {t.twiceInRun(balance.twice, balance.twiceShare ?? "0.0%")}
            </a>
          </p>
        )}
        {taskSpendUsd !== null && attempts.rows.length > 1 && <p>{t.taskCost(formatMoney(taskSpendUsd, 4))}</p>}
      </Figure>
      <Figure label={t.duration} value={durationNs < 0n ? "–" : formatDuration(durationNs)}>
        <p>{t.countSpans(formatCount(trace.spans))}</p>
      </Figure>
      <Figure label={t.outcome} value={<OutcomeText outcome={trace.outcome} t={t} />}>
        <p>{describeEvidence(outcome, page)}</p>
        <Attempts run={run} page={page} />
      </Figure>
      <Figure
        label={t.callsAndTurns}
        value={formatCount(trace.calls)}
        beside={turns === 0 ? undefined : t.countTurns(formatCount(turns))}
      >
        <p>
          {formatCount(prompt)} {t.tokensRead.toLowerCase()}
          {share !== null && `, ${t.cachedShare(share)}`}
        </p>
      </Figure>
    </FigureStrip>
  );
}

function Anomalies({ run, page }: { run: Run; page: Page }) {
  const { t } = page;
  if (run.anomalies.length === 0) return null;
  const texts: Record<string, string> = t.flagOf;
  const kinds = new Map<string, number>();
  for (const { kind } of run.anomalies) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return (
    <p className="flex flex-wrap items-center gap-2 text-note max-sm:px-4">
      <span className="text-ink-2">{t.anomalies}:</span>
      {[...kinds].map(([kind, count]) => (
        <span key={kind} className="tag tag-attention">
          {texts[kind] ?? kind} × {formatCount(count)}
        </span>
      ))}
    </p>
  );
}

function Context({ run, page }: { run: Run; page: Page }) {
  const { t } = page;
  if (run.calls.length === 0) return null;
  const bars = prepareTurns(run.calls, run.spans, run.waste);
  return (
    <Panel title={t.contextTitle} note={t.contextNote}>
      <div className="px-4 pt-2 pb-3" role="img" aria-label={t.contextTitle}>
        <TurnChart bars={bars} labels={{ ...t.tokens, turn: t.turn, cost: t.cost }} />
      </div>
      <RowsOnRequest
        t={t}
        columns={[
          t.turn,
          t.tokens.cacheRead,
          t.tokens.repeated,
          t.tokens.cacheWrite,
          t.tokens.input,
          t.tokens.output,
          t.tokens.reasoning,
          t.cost,
        ]}
        rows={bars.map((bar) => ({
          key: bar.key,
          cells: [
            bar.turn,
            ...[bar.cacheRead, bar.repeated, bar.cacheWrite, bar.input, bar.output, bar.reasoning].map(formatCount),
            bar.cost ?? t.costStatusOf[bar.costStatus],
          ],
        }))}
      />
    </Panel>
  );
}

function LayerKey({ page }: { page: Page }) {
  const { t } = page;
  return (
    <span className="flex flex-wrap gap-x-3">
      {(["harness", "api", "inference"] as const).map((layer) => (
        <span key={layer} className="flex items-center gap-1.5 text-ink-2">
          <i className="inline-block size-[9px]" style={{ background: layerColour(layer) }} />
          {t.layerOf[layer]}
        </span>
      ))}
      <span>{t.waterfallNote}</span>
    </span>
  );
}

function Selected({ run, page, waterfall }: { run: Run; page: Page; waterfall: Waterfall }) {
  const { selected } = run;
  if (selected === null) return null;
  if (selected === "gone") return <MissingSpanPanel page={page} />;
  const row = waterfall.rows.find(({ key }) => key === selected.spanId);
  const skeleton = run.spans.find((span) => span.spanId === selected.spanId && span.traceId === selected.traceId);
  const call = run.calls.find(({ spanId }) => spanId === selected.spanId) ?? null;
  return (
    <SpanPanel
      page={page}
      span={selected}
      layer={skeleton?.layer ?? ""}
      call={call}
      lane={row?.lane ?? null}
      critical={row !== undefined && row.critical !== null}
      waste={run.waste.filter(({ traceId, spanId }) => spanId === selected.spanId && traceId === selected.traceId)}
      wordsOf={run.wordsOf}
    />
  );
}

export function RunView({ run, page }: { run: Run; page: Page }) {
  const { t, params } = page;
  const view = readView(params);
  const waterfall = prepareWaterfall(run.spans, view);
  const turns = run.spans.filter((span) => span.name === "loop.turn").length;
  const steps = waterfall.linkedSpans === 0 ? "" : ` · ${t.linkedSteps(formatCount(waterfall.linkedSpans))}`;
  const total = { calls: t.countCalls(formatCount(run.trace.calls)), cost: costText(run.trace, page) };
  // Of a run without calls there is nothing to balance.
  const balance = run.trace.calls === 0 ? null : prepareBalance(run.balance);
  return (
    <>
      <Facts run={run} page={page} turns={turns} balance={balance} />
      <Anomalies run={run} page={page} />
      {balance !== null && <BalancePanel run={run} page={page} balance={balance} />}
      <Context run={run} page={page} />
      <div
        className={clsx(
          "grid items-start gap-3.5",
          run.selected !== null && "grid-cols-[minmax(0,2.6fr)_minmax(0,1fr)] max-lg:grid-cols-1",
        )}
      >
        <Panel
          title={t.waterfall}
          note={<LayerKey page={page} />}
          aside={`${t.countSpans(formatCount(waterfall.spans))}${steps}`}
        >
          <WaterfallTable page={page} view={view} waterfall={waterfall} total={total} />
        </Panel>
        <Selected run={run} page={page} waterfall={waterfall} />
      </div>
      <LogPanel page={page} logs={run.logs} startedNs={waterfall.startNs} />
    </>
  );
}
