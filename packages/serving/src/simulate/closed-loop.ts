/**
 * Closed loop: so many sessions at a time, each with a main thread of turns; the next turn comes a gap (thinking, or a
 * tool's work) after the last answer; answers may start sub-agents, which run beside their parent or are waited for.
 * A session ends when all its threads have, and the next one then starts.
 * Invariant: which requests come, and in which order of one thread, does not depend on how fast the service is.
 */
import { assert } from "@centspan/base";
import type { ServingRequest } from "../serving-types.ts";
import { findLongest, type Workload } from "./workload.ts";

export type Turn = Omit<ServingRequest, "id" | "arrivalNs" | "priority"> & {
  /** From the end of the answer before, or the start of the thread, to this request. */
  gapNs: number;
  /** Threads that start with the end of this turn's answer. */
  subAgents?: readonly Thread[];
  /** Whether the next turn's gap begins only when all of them have ended. */
  waitsForThem?: boolean;
};
export type Thread = readonly Turn[];
export type Session = { thread: Thread; priority?: ServingRequest["priority"] };

type Run = { thread: Thread; next: number; session: OpenSession; parent: Run | null; childrenLeft: number };
type OpenSession = { number: number; priority: ServingRequest["priority"]; openThreads: number };

export function createClosedLoop(sessions: readonly Session[], concurrent: number): Workload {
  assert(concurrent >= 1, "a closed loop needs a session at a time");
  /** The run that waits for each answer. */
  const open = new Map<string, Run>();
  let started = 0;
  let issued = 0;

  const ask = (run: Run, atNs: number, out: ServingRequest[]): void => {
    const turn = run.thread[run.next];
    if (turn === undefined) {
      end(run, atNs, out);
      return;
    }
    const { gapNs, subAgents: _agents, waitsForThem: _waits, ...asked } = turn;
    const id = `s${run.session.number}-${issued}`;
    issued += 1;
    run.next += 1;
    open.set(id, run);
    const { priority } = run.session;
    out.push({ ...asked, id, arrivalNs: atNs + gapNs, ...(priority ? { priority } : {}) });
  };

  const end = ({ session, parent }: Run, atNs: number, out: ServingRequest[]): void => {
    session.openThreads -= 1;
    if (parent) {
      parent.childrenLeft -= 1;
      if (parent.childrenLeft === 0) ask(parent, atNs, out);
    }
    if (session.openThreads === 0) startSession(atNs, out);
  };

  const startThread = (
    thread: Thread,
    session: OpenSession,
    parent: Run | null,
    atNs: number,
    out: ServingRequest[],
  ) => {
    session.openThreads += 1;
    ask({ thread, next: 0, session, parent, childrenLeft: 0 }, atNs, out);
  };

  const startSession = (atNs: number, out: ServingRequest[]): void => {
    const session = sessions[started];
    if (session === undefined) return;
    started += 1;
    const state: OpenSession = { number: started - 1, priority: session.priority, openThreads: 0 };
    startThread(session.thread, state, null, atNs, out);
  };

  const first: ServingRequest[] = [];
  while (started < Math.min(concurrent, sessions.length)) startSession(0, first);
  first.sort((a, b) => a.arrivalNs - b.arrivalNs);
  return {
    isClosed: true,
    first,
    longest: findLongest(sessions.flatMap(({ thread }) => listTurns(thread))),
    follow(id, finishedNs) {
      const run = open.get(id);
      open.delete(id);
      const requests: ServingRequest[] = [];
      if (run === undefined) return { requests, ended: [] };
      const { subAgents = [], waitsForThem = false, thread } = run.thread[run.next - 1] ?? {};
      const isLast = run.next >= run.thread.length;
      const awaited = waitsForThem && subAgents.length > 0;
      if (awaited) run.childrenLeft = subAgents.length;
      for (const agent of subAgents) startThread(agent, run.session, awaited ? run : null, finishedNs, requests);
      if (!awaited) ask(run, finishedNs, requests);
      return { requests, ended: isLast && thread ? [thread] : [] };
    },
  };
}

/** With those of its sub-agents, and theirs. */
const listTurns = (thread: Thread): Turn[] =>
  thread.flatMap((turn) => [turn, ...(turn.subAgents ?? []).flatMap(listTurns)]);
