/** What the commands print: JSON lines for programs, plain lines for people. */

import type { Question } from "./approval/gate.ts";
import type { Finding } from "./audit/thread-record.ts";
import { describeError } from "./describe-error.ts";
import type { RunResult } from "./loop/run-task.ts";
import type { TurnProgress } from "./loop/run-turns.ts";
import type { OptimizerResult } from "./optimize/optimizer-agent.ts";
import type { Task } from "./task/load-task.ts";
import type { Progress, Summary } from "./workload/run-workload.ts";

export const toJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

export const toRunLine = (result: RunResult): string =>
  toJsonLine({ type: "result", ...result, errors: result.errors.map(describeError) });

export function describeTasks(tasks: readonly Task[]): string {
  const width = Math.max(...tasks.map((task) => task.id.length));
  const lines = tasks.map((task) => `${task.id.padEnd(width)}  ${task.type.padEnd(11)}  ${task.title}`);
  return `${lines.join("\n")}\n`;
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

export function describeTurn({ threadId, turn, contextTokens, cachedShare, spentUsd, calls }: TurnProgress): string {
  const facts = [
    `${contextTokens} tokens`,
    cachedShare === null ? "cache unknown" : `${percent(cachedShare)} cached`,
    `${spentUsd} USD`,
  ];
  const unit = threadId.includes(".") ? ` ${threadId.slice(threadId.indexOf(".") + 1)}` : "";
  return `turn ${String(turn).padStart(2)}${unit}  ${facts.join(", ")}  ${calls.join(", ")}\n`;
}

export function describeQuestion({ tool, subject, why }: Question): string {
  const reason = why === "not_listed" ? "" : " failed in its sandbox; run it again outside,";
  return `approve ${tool}${reason} ${subject.kind} ${JSON.stringify(subject.text)}? [y/N] `;
}

export function describeRun(result: RunResult, keptCopy: boolean): string {
  const lines = [
    `${result.status} after ${result.turns} turns (${result.stop.replace("_", " ")})`,
    `run ${result.runId}, ${result.traceId === null ? "no trace" : `trace ${result.traceId}`}`,
    describeSpending(result),
    ...result.errors.map((error) => `error: ${describeError(error)}`),
    ...(result.finalText === "" ? [] : [`the agent says: ${result.finalText}`]),
    ...(keptCopy || result.stop !== "answered" ? [`working copy: ${result.workingCopy}`] : []),
    ...(result.stop === "answered" ? [] : [`go on with it: --resume ${result.runId}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeSpending({ spent, sandbox }: RunResult): string {
  const unpriced = spent.unpricedTurns === 0 ? "" : `, ${spent.unpricedTurns} turns without a price`;
  const { usd, tokens, seconds } = spent;
  return `spent ${usd} USD${unpriced}, ${tokens} tokens, ${seconds.toFixed(1)} s; sandbox: ${sandbox}`;
}

export function describeProgress(progress: Progress): string {
  const { done, total, status, task, model, attempt, turns, errors } = progress;
  const count = `[${String(done).padStart(String(total).length)}/${total}]`;
  const wrong = errors.map((error) => `\n      ${error}`).join("");
  return `${count} ${status.padEnd(7)}  ${task}  ${model}, attempt ${attempt}, ${turns} turns${wrong}\n`;
}

export function describeSummary(summary: Summary): string {
  const teams = Object.entries(summary.teams).map(
    ([team, { tickets, passed, runs }]) => `  ${team}: ${passed} of ${tickets} tickets pass, ${runs} runs`,
  );
  const head = `${summary.passed} of ${summary.tickets} tickets pass their tests, ${summary.runs} runs`;
  const notes = [
    ...(summary.interrupted ? ["  interrupted: the remaining tickets were not worked on"] : []),
    ...(summary.runsWithErrors > 0 ? [`  ${summary.runsWithErrors} runs had errors`] : []),
  ];
  return `${[head, ...teams, ...notes].join("\n")}\n`;
}

export function describeFindings(audit: { since: string; threads: number; findings: readonly Finding[] }): string {
  const lines = audit.findings.map(({ at, kind, threadId, says }) => `${at}  ${kind.padEnd(8)}  ${threadId}  ${says}`);
  const head = `${audit.threads} threads since ${audit.since}, ${lines.length} findings`;
  return `${[head, ...lines].join("\n")}\n`;
}

export function describeOptimizer({ stop, turns, filed, applied, spentUsd, finalText }: OptimizerResult): string {
  const lines = [
    `${stop.replace("_", " ")} after ${turns} turns, ${spentUsd} USD`,
    ...filed.map((id) => `filed ${id}`),
    ...applied.map((id) => `applied ${id}`),
    ...(finalText === "" ? [] : [`the agent says: ${finalText}`]),
  ];
  return `${lines.join("\n")}\n`;
}
