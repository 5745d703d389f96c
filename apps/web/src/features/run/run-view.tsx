/** One run: its facts at once, its spans as the browser gets them, its balance sheet and log records when they are there. */
import type { Buckets, OutcomeRow, TraceRow } from "@centspan/model";
import {
  formatCount,
  formatDuration,
  formatMoney,
  formatShare,
  headlineDecimals,
  isZero,
  ProvenanceMark,
  parseInstantNs,
  prepareBalance,
} from "@centspan/ui";
import { clsx } from "clsx";
import { Suspense } from "react";
import { preload } from "react-dom";
import { PageLink } from "#components/page-link";
import { compareHref } from "../compare/compared.ts";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import type { Page } from "../page/page.ts";
import { AttemptBox, OutcomeText } from "../runs/outcome-text.tsx";
import { loadCauseWords } from "../waste/words-of-cause.ts";
import { BalancePanel } from "./balance-panel.tsx";
import { loadLogs } from "./load-logs.ts";
import type { Run, Work } from "./load-run.ts";
import { LogPanel } from "./log-panel.tsx";
import { partAddress } from "./waterfall/part-address.ts";
import { RunExplorer } from "./waterfall/run-explorer.tsx";

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

function Attempts({ attempts, trace, page }: { attempts: Work["attempts"]; trace: TraceRow; page: Page }) {
  const { t } = page;
  const { rows, more } = attempts;
  if (rows.length < 2) return null;
  const at = rows.findIndex((attempt) => attempt.traceId === trace.traceId);
  const before = rows[at - 1];
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
      {before !== undefined && (
        <PageLink href={compareHref(page, before.traceId, trace.traceId)}>{t.compareBefore}</PageLink>
      )}
    </p>
  );
}

function sumPrompt({ costs }: Run): { prompt: number; cacheRead: number } {
  const sum = (pick: (buckets: Buckets) => number): number =>
    costs.reduce((all, { buckets }) => all + pick(buckets), 0);
  const cacheRead = sum((buckets) => buckets.cacheRead);
  const rest = sum((buckets) => buckets.input + buckets.cacheWrite5m + buckets.cacheWrite1h);
  return { prompt: cacheRead + rest, cacheRead };
}

async function Judged({ run: { trace, work }, page }: { run: Run; page: Page }) {
  const { outcome, attempts } = await work;
  return (
    <>
      <p>{describeEvidence(outcome, page)}</p>
      <Attempts attempts={attempts} trace={trace} page={page} />
    </>
  );
}

async function TaskCost({ run: { work }, page }: { run: Run; page: Page }) {
  const { taskSpendUsd, attempts } = await work;
  return taskSpendUsd !== null && attempts.rows.length > 1 && <p>{page.t.taskCost(formatMoney(taskSpendUsd, 4))}</p>;
}

function Facts({ run, page }: { run: Run; page: Page }) {
  const { trace } = run;
  const { t } = page;
  const { prompt, cacheRead } = sumPrompt(run);
  const twice = trace.costUsd === null || trace.wasteUsd === null || isZero(trace.wasteUsd) ? null : trace.wasteUsd;
  const mark =
    trace.provenance === null ? null : (
      <ProvenanceMark kind={trace.provenance} label={t.provenanceOf[trace.provenance]} />
    );
  const share = formatShare(cacheRead, prompt);
  const durationNs = BigInt(trace.durationNs);
  return (
    <FigureStrip label={t.runFacts}>
      <Figure label={t.cost} mark={mark} value={costText(trace, page)}>
        {twice !== null && (
          <p>
            <a className="font-semibold text-waste" href="#balance">
              {t.twiceInRun(formatMoney(twice, 4), formatShare(twice, trace.costUsd ?? "0") ?? "0.0%")}
            </a>
          </p>
        )}
        <Suspense>
          <TaskCost run={run} page={page} />
        </Suspense>
      </Figure>
      <Figure label={t.duration} value={durationNs < 0n ? "–" : formatDuration(durationNs)}>
        <p>{t.countSpans(formatCount(trace.spans))}</p>
      </Figure>
      <Figure label={t.outcome} value={<OutcomeText outcome={trace.outcome} t={t} />}>
        {/* Two lines from the start where there is a task: the rows below do not move. */}
        <div className={clsx(trace.task !== "" && "min-h-[2lh]")}>
          <Suspense>
            <Judged run={run} page={page} />
          </Suspense>
        </div>
      </Figure>
      <Figure label={t.calls} value={formatCount(trace.calls)}>
        <p>
          {formatCount(prompt)} {t.tokensRead.toLowerCase()}
          {share !== null && `, ${t.cachedShare(share)}`}
        </p>
      </Figure>
    </FigureStrip>
  );
}

/** What calls say that no span shows. */
const MOST_CALLS = 1000;

function listAnomalies({ trace, costs }: Run) {
  const unpriced = costs.reduce((sum, row) => sum + row.unpricedCalls, 0);
  const quarantined = costs.reduce((sum, row) => sum + row.quarantinedCalls, 0);
  return [
    ...(unpriced === 0 ? [] : [{ kind: "unpriced", count: unpriced }]),
    ...(quarantined === 0 ? [] : [{ kind: "quarantined_usage", count: quarantined }]),
    ...(trace.calls <= MOST_CALLS ? [] : [{ kind: "calls_cut", count: trace.calls - MOST_CALLS }]),
  ];
}

/** Rows that there may be, up to what fits a screen: nothing moves when they come. */
const ROW_PX = 26;
const chooseHeight = (spans: number): number => Math.min(620, Math.max(6, spans + 2) * ROW_PX);

async function Balance({ run, page }: { run: Run; page: Page }) {
  const { traceId } = run.trace;
  const [balance, items, wordsOf] = await Promise.all([
    page.api.balance(traceId),
    page.api.wasteItems({ traceId, limit: "1000" }),
    loadCauseWords(page),
  ]);
  return <BalancePanel page={page} waste={items.data} wordsOf={wordsOf} balance={prepareBalance(balance)} />;
}

async function Logs({ page, traceId, startedNs }: { page: Page; traceId: string; startedNs: bigint }) {
  return <LogPanel page={page} logs={await loadLogs(page, traceId)} startedNs={startedNs} />;
}

export function RunView({ run, page }: { run: Run; page: Page }) {
  const { t, params, language } = page;
  const { trace } = run;
  const address = page.href(`/runs/${trace.traceId}`, { period: null, from: null, to: null });
  // Asked for while the page's code is still on its way.
  preload(partAddress(address, "skeleton"), { as: "fetch", crossOrigin: "anonymous" });
  return (
    <>
      <Facts run={run} page={page} />
      <RunExplorer
        run={address}
        traceId={trace.traceId}
        title={t.waterfall}
        language={language}
        params={params}
        spans={trace.spans}
        calls={trace.calls}
        heightPx={chooseHeight(trace.spans)}
        anomalies={listAnomalies(run)}
        total={{
          calls: t.countCalls(formatCount(trace.calls)),
          cost: costText(trace, page),
          repeated: trace.wasteUsd === null || isZero(trace.wasteUsd) ? "–" : formatMoney(trace.wasteUsd, 4),
        }}
      />
      <Suspense fallback={null}>
        {/* Of a run without calls there is nothing to balance. */}
        {trace.calls > 0 && <Balance run={run} page={page} />}
        <Logs page={page} traceId={trace.traceId} startedNs={parseInstantNs(trace.startedAt)} />
      </Suspense>
    </>
  );
}
