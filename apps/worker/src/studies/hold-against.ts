/** A recommendation that was applied, held against what came after: settings by the engine's steps, advice by the waste ledger. */
import { createWallClock, formatInstant } from "@centspan/base";
import type { Realised, Recommendation, TimeRange } from "@centspan/model";
import {
  type Effect,
  type OptimizerRefusal,
  readAdvised,
  readPrediction,
  refuse,
  toObserved,
  verifyAdvice,
  verifyEffect,
} from "@centspan/optimizer";
import { listRequests, readSpans, readTaskWaste, readTraffic, type StudyReader, toRange } from "./read-study-data.ts";

/** `range` is of the time since it was applied. */
export type Since = { workspace: string; range: TimeRange; appliedAt: string };
export type Held = Realised | { refusals: OptimizerRefusal[] };

export async function holdSettings(
  warehouse: StudyReader,
  { workspace, range }: Since,
  recommendation: Recommendation,
): Promise<Held> {
  const prediction = readPrediction(recommendation);
  const { service } = recommendation;
  if (prediction === null || service === undefined)
    return {
      refusals: [refuse("calibration_failed", "it was not made from an engine's spans: nothing to hold it against")],
    };
  const source = { workspace, service };
  const [spans, requests] = await Promise.all([
    readSpans(warehouse, source, range),
    listRequests(warehouse, source, range),
  ]);
  const read = readTraffic(requests, spans.facts, prediction.proposed);
  const after = { ...read, steps: spans.steps.map(toObserved), facts: spans.facts[0] ?? null };
  const { effect, refusals, requests: count } = verifyEffect(prediction, recommendation.changes, after);
  const [first, last] = [requests[0], requests.at(-1)];
  if (effect === null || first === undefined || last === undefined) return { refusals };
  return toRealised(effect, count, { fromNs: first.arrivedAtNs, toNs: last.arrivedAtNs });
}

export async function holdAdvice(
  warehouse: StudyReader,
  { workspace, range, appliedAt }: Since,
  recommendation: Recommendation,
): Promise<Held> {
  const advised = readAdvised(recommendation);
  if (advised === null)
    return {
      refusals: [refuse("calibration_failed", "it names no cause of the waste ledger: nothing to hold it against")],
    };
  const [before, since] = await Promise.all([
    readTaskWaste(warehouse, workspace, advised, toRange({ to: appliedAt })),
    readTaskWaste(warehouse, workspace, advised, range),
  ]);
  const { effect, refusals } = verifyAdvice(before, since);
  if (effect === null) return { refusals };
  const nowNs = createWallClock().nowNs();
  const isOver = range.toNs < nowNs;
  const requests = since.reduce((total, task) => total + task.requests, 0);
  return toRealised(effect, requests, { fromNs: range.fromNs, toNs: isOver ? range.toNs : nowNs });
}

const toRealised = ({ share, low, high, level }: Effect, requests: number, { fromNs, toNs }: TimeRange): Realised => ({
  effect: { share, low, high, level },
  requests,
  from: formatInstant(fromNs),
  to: formatInstant(toNs),
});
