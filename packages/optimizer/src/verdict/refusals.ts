/**
 * Why there is no recommendation, as a table: each reason with what to collect. A refusal names what was found; nothing is
 * answered in its place. Add one: an entry, and who finds it.
 */
import type { Effect } from "./bootstrap.ts";
import { countBlocksNeeded } from "./bootstrap.ts";

export const REFUSALS = {
  traffic_too_short: "Collect more traffic: at least two days, or 200 requests in each of the two windows.",
  clocks_disagree:
    "Synchronise the clocks of gateway and engines (NTP), or let one of them stamp arrival, first token and end.",
  missing_fingerprints:
    "Let requests go through the gateway, which fingerprints prefixes, or turn on the engine's KV events.",
  mixed_engines: "Choose one replica kind: one engine, model, accelerator and parallel degree at a time.",
  capacity_unknown:
    "State the KV capacity in blocks: engines log it at start, ours has it on its spans as centspan.kv.capacity_blocks.",
  calibration_failed: "Collect spans with step times, or check the limits that were stated for the engine.",
  outside_support: "Try the setting on one replica for a day: its spans then cover it.",
  within_noise: "Collect more traffic, or accept that these settings are as good as the present ones.",
  over_limit: "Loosen the limit, or search again with it on a window whose load is like the later one's.",
  does_not_hold: "The traffic changed between the windows: choose again on the later one, and judge on what follows.",
  not_applied: "Apply the settings, or name a time in which the engine had them all along.",
  nothing_better: "Widen the space of settings; within this one the present settings are the best.",
  present_unservable:
    "Check the stated capacity and limits: with them the recorded traffic could not have been served.",
} as const;

export type RefusalReason = keyof typeof REFUSALS;

export type OptimizerRefusal = { reason: RefusalReason; message: string; collect: string };

export const refuse = (reason: RefusalReason, message: string): OptimizerRefusal => ({
  reason,
  message,
  collect: REFUSALS[reason],
});

/** What is known of the recorded traffic and its engines before anything is simulated. */
export type Evidence = {
  requests: number;
  /** Requests whose prompt has no fingerprinted block though it fills one. */
  withoutFingerprints: number;
  /** Engines that served it, each named by all that makes its step times: engine, model, accelerator, parallel degree. */
  replicaKinds: readonly string[];
  /** Null where nobody said it. */
  capacityBlocks: number | null;
  /** Requests whose answer begins or ends before they arrive. */
  backwards: number;
  /** Why the step times that were fitted must not be used. */
  calibrationRefusals: readonly string[];
};

export const FEWEST_REQUESTS = 400;
/** Of requests, beyond which what is shared is not known well enough to size or order a cache. */
const MOST_UNFINGERPRINTED = 0.05;
const MOST_BACKWARDS = 0.001;

/** All that is wrong, not the first of it. */
export function findEvidenceRefusals(evidence: Evidence): OptimizerRefusal[] {
  const { requests, withoutFingerprints, replicaKinds, capacityBlocks, backwards, calibrationRefusals } = evidence;
  const found: OptimizerRefusal[] = [];
  const share = (part: number): string => `${((100 * part) / Math.max(1, requests)).toFixed(1)}%`;
  if (requests < FEWEST_REQUESTS)
    found.push(refuse("traffic_too_short", `${requests} requests; a choice and its verdict need ${FEWEST_REQUESTS}`));
  if (backwards > MOST_BACKWARDS * requests)
    found.push(
      refuse("clocks_disagree", `${backwards} requests (${share(backwards)}) are answered before they arrive`),
    );
  if (withoutFingerprints > MOST_UNFINGERPRINTED * requests)
    found.push(
      refuse(
        "missing_fingerprints",
        `${withoutFingerprints} requests (${share(withoutFingerprints)}) name no prefix blocks`,
      ),
    );
  if (replicaKinds.length > 1)
    found.push(
      refuse("mixed_engines", `the traffic was served by ${replicaKinds.length} kinds: ${replicaKinds.join("; ")}`),
    );
  if (capacityBlocks === null)
    found.push(refuse("capacity_unknown", "nobody says how many KV blocks the engine holds"));
  for (const message of calibrationRefusals) found.push(refuse("calibration_failed", message));
  return found;
}

/** Of an effect whose interval does not lie below zero. */
export function refuseNoise(effect: Effect): OptimizerRefusal {
  const { share, low, high, level, blocks } = effect;
  const needed = countBlocksNeeded(effect);
  const more = needed === null ? "" : `; about ${(needed / blocks).toFixed(1)} times the traffic would tell`;
  const percent = (part: number): string => `${part < 0 ? "−" : "+"}${Math.abs(100 * part).toFixed(1)}%`;
  return refuse(
    "within_noise",
    `${percent(share)} (${percent(low)} to ${percent(high)}, ${100 * level}% interval) can't be told from nothing${more}`,
  );
}
