/**
 * Works through tickets, several at a time, and says how far it is.
 * Invariant: attempts of one ticket follow each other; a stopped workload starts nothing new and waits for what runs.
 */
import { describeError } from "../describe-error.ts";
import { type RunRequest, UNATTENDED } from "../loop/run-request.ts";
import type { RunResult } from "../loop/run-task.ts";
import type { Ticket } from "./plan.ts";

export type Progress = {
  type: "progress";
  /** Tickets that are finished, and how many there are. */
  done: number;
  total: number;
  task: string;
  team: string;
  model: string;
  attempt: number;
  status: RunResult["status"];
  run: string;
  turns: number;
  errors: string[];
};

export type Summary = {
  type: "summary";
  tickets: number;
  finished: number;
  passed: number;
  runs: number;
  /** Runs that something other than the model kept from their end. */
  runsWithErrors: number;
  interrupted: boolean;
  teams: Record<string, { tickets: number; passed: number; runs: number }>;
};

export type WorkloadOptions = {
  tickets: readonly Ticket[];
  concurrency: number;
  keyOf(team: string): string;
  /** `without` are the mechanisms that the ticket's agents do without. */
  run(request: RunRequest, without: Ticket["without"]): Promise<RunResult>;
  report(progress: Progress): void;
  signal: AbortSignal;
};

export async function runWorkload(options: WorkloadOptions): Promise<Summary> {
  const summary = openSummary(options.tickets);
  const waiting = [...options.tickets];
  const work = async (): Promise<void> => {
    for (let ticket = waiting.shift(); ticket; ticket = waiting.shift()) {
      options.signal.throwIfAborted();
      await workOn(ticket, options, summary);
    }
  };
  const workers = Array.from({ length: Math.min(options.concurrency, waiting.length) }, work);
  const failures = (await Promise.allSettled(workers)).filter((result) => result.status === "rejected");
  if (options.signal.aborted) return { ...summary, interrupted: true };
  if (failures[0]) throw failures[0].reason;
  return summary;
}

async function workOn(ticket: Ticket, options: WorkloadOptions, summary: Summary): Promise<void> {
  const { team, taskId, task, without } = ticket;
  for (const [index, model] of ticket.attempts.entries()) {
    const attempt = index + 1;
    const gatewayKey = options.keyOf(team);
    const request = { ...UNATTENDED, task, taskId, model, attempt, role: "execute" as const, gatewayKey };
    const result = await options.run(request, without);
    const passed = result.status === "passed";
    const last = passed || attempt === ticket.attempts.length;
    countRun(summary, team, result, last);
    options.report({
      type: "progress",
      done: summary.finished,
      total: summary.tickets,
      task: taskId,
      team,
      model,
      attempt,
      status: result.status,
      run: result.runId,
      turns: result.turns,
      errors: result.errors.map(describeError),
    });
    if (last) return;
  }
}

function openSummary(tickets: readonly Ticket[]): Summary {
  const teams: Summary["teams"] = {};
  for (const { team } of tickets) {
    teams[team] ??= { tickets: 0, passed: 0, runs: 0 };
    teams[team].tickets += 1;
  }
  return {
    type: "summary",
    tickets: tickets.length,
    finished: 0,
    passed: 0,
    runs: 0,
    runsWithErrors: 0,
    interrupted: false,
    teams,
  };
}

function countRun(summary: Summary, team: string, result: RunResult, last: boolean): void {
  const passed = result.status === "passed" ? 1 : 0;
  const ofTeam = summary.teams[team];
  if (ofTeam) {
    ofTeam.runs += 1;
    ofTeam.passed += passed;
  }
  summary.runs += 1;
  summary.passed += passed;
  summary.finished += last ? 1 : 0;
  summary.runsWithErrors += result.errors.length > 0 ? 1 : 0;
}
