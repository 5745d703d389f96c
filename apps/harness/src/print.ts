/** What the commands print: JSON lines for programs, plain lines for people. */
import { describeError } from "./describe-error.ts";
import type { RunResult } from "./loop/run-task.ts";
import type { Task } from "./task/load-task.ts";
import type { Progress, Summary } from "./workload/run-workload.ts";

export const toJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

export const toRunLine = (result: RunResult): string =>
  toJsonLine({ ...result, errors: result.errors.map(describeError) });

export function describeTasks(tasks: readonly Task[]): string {
  const width = Math.max(...tasks.map((task) => task.id.length));
  const lines = tasks.map((task) => `${task.id.padEnd(width)}  ${task.type.padEnd(11)}  ${task.title}`);
  return `${lines.join("\n")}\n`;
}

export function describeRun(result: RunResult, keptCopy: boolean): string {
  const lines = [
    `${result.status} after ${result.turns} turns (${result.stop.replace("_", " ")})`,
    `run ${result.runId}, ${result.traceId === null ? "no trace" : `trace ${result.traceId}`}`,
    ...result.errors.map((error) => `error: ${describeError(error)}`),
    ...(result.finalText === "" ? [] : [`the agent says: ${result.finalText}`]),
    ...(keptCopy ? [`working copy: ${result.workingCopy}`] : []),
  ];
  return `${lines.join("\n")}\n`;
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
