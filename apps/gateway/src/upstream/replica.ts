/**
 * One address of an upstream: its connections, what is under way there, how fast it answers, and whether it rests.
 * A replica that fails several times in a row rests, longer each time; one that says when to come again is not asked before.
 */
import type { ReplicaView } from "@centspan/model";
import type { Upstream } from "./upstream.ts";

/** What a request weighs where it is routed. */
export type RequestLoad = { promptTokens: number; newTokens: number; blocks: number; streams: boolean };

export type FlightOutcome = "answered" | "failed" | "left";

export type Flight = {
  /** The answer has begun. */
  begun(): void;
  /** `failed`: it could not be reached, broke off or had an error of its own. Of whoever else ends it, nothing is learned. */
  end(outcome: FlightOutcome): void;
};

export type Replica = {
  upstream: Upstream;
  traits: ReplicaTraits;
  view: ReplicaView;
  /** Monotonic milliseconds before which it is not asked; 0 when it may be asked. */
  restsUntilMs(): number;
  restFor(ms: number): void;
  begin(load: RequestLoad): Flight;
  pace(kind: AnswerKind): number | null;
};

/** The first byte of one comes with the first token, of the other with the last: they are told apart. */
export const ANSWER_KINDS = ["streamed", "whole"] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export type ReplicaTraits = {
  region: string | null;
  accelerator: string | null;
  maxContextTokens: number;
};

export type ReplicaOptions = {
  upstream: Upstream;
  traits: ReplicaTraits;
  nowMs: () => number;
  /** Pace of the fastest beside it. */
  bestPace: (kind: AnswerKind) => number | null;
};

const FAILURES_BEFORE_REST = 3;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** Answers before a pace is believed, and the weight of each later one. */
const FIRST_ANSWERS = 10;
const WEIGHT = 0.02;
/** What any request costs before its tokens count, in tokens. */
const FIXED_TOKENS = 500;
const LEAST_SPEED = 0.1;

export function createReplica({ upstream, traits, nowMs, bestPace }: ReplicaOptions): Replica {
  const underWay = { waiting: 0, queuedTokens: 0, running: 0, blocks: 0 };
  let failures = 0;
  let restUntilMs = 0;
  const paces = { streamed: createPace(), whole: createPace() };

  return {
    upstream,
    traits,
    view: {
      get speed() {
        const speeds = ANSWER_KINDS.flatMap((kind) => {
          const [own, best] = [paces[kind].value(), bestPace(kind)];
          return own === null || best === null ? [] : { speed: best / own, answers: paces[kind].answers() };
        });
        const answers = speeds.reduce((total, each) => total + each.answers, 0);
        const speed = speeds.reduce((total, each) => total + (each.speed * each.answers) / answers, 0);
        return answers === 0 ? 1 : Math.max(LEAST_SPEED, speed);
      },
      waiting: () => underWay.waiting,
      running: () => underWay.running,
      queuedTokens: () => underWay.queuedTokens,
      activeBlocks: () => underWay.blocks,
      countHits: () => 0,
    },
    restsUntilMs: () => (restUntilMs > nowMs() ? restUntilMs : 0),
    restFor(ms) {
      restUntilMs = Math.max(restUntilMs, nowMs() + ms);
    },
    pace: (kind) => paces[kind].value(),
    begin(load) {
      const startedMs = nowMs();
      let state: "waiting" | "answered" | "ended" = "waiting";
      underWay.waiting += 1;
      underWay.queuedTokens += load.newTokens;
      underWay.blocks += load.blocks;
      const leaveQueue = (): void => {
        underWay.waiting -= 1;
        underWay.queuedTokens -= load.newTokens;
      };
      return {
        begun() {
          if (state !== "waiting") return;
          state = "answered";
          leaveQueue();
          underWay.running += 1;
          paces[load.streams ? "streamed" : "whole"].learn(nowMs() - startedMs, load);
        },
        end(outcome) {
          if (state === "ended") return;
          if (state === "waiting") leaveQueue();
          else underWay.running -= 1;
          state = "ended";
          underWay.blocks -= load.blocks;
          if (outcome === "left") return;
          failures = outcome === "failed" ? failures + 1 : 0;
          const rests = failures - FAILURES_BEFORE_REST;
          if (rests >= 0) restUntilMs = nowMs() + Math.min(FIRST_REST_MS * 2 ** rests, LONGEST_REST_MS);
        },
      };
    },
  };
}

/** Milliseconds to the first byte per thousand new tokens, an average that forgets; null before enough answers. */
function createPace() {
  let average = 0;
  let answers = 0;
  return {
    answers: () => answers,
    value: () => (answers < FIRST_ANSWERS ? null : average),
    learn(ms: number, { newTokens }: RequestLoad): void {
      answers += 1;
      const observed = (ms * 1000) / (FIXED_TOKENS + newTokens);
      average += (observed - average) * Math.max(WEIGHT, 1 / answers);
    },
  };
}
