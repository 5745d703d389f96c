/** A verdict as text for a terminal: what to change, what it does and how sure that is, how to apply it; or why there is none. */
import type { RecommendationInput } from "@centspan/model";
import { type Effect, KNOBS, type Verdict, type Worth } from "@centspan/optimizer";
import { formatTable } from "../report.ts";

export const percent = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}%`;
const range = (effect: Effect | null): string =>
  effect === null ? "–" : `${percent(effect.share)} (${percent(effect.low)} to ${percent(effect.high)})`;

type Refusal = { reason: string; message: string; collect: string };

export function formatRefusals(refusals: readonly Refusal[]): string {
  return refusals.map(({ reason, message, collect }) => `Refused, ${reason}: ${message}.\n  ${collect}`).join("\n");
}

export type VerdictFacts = {
  verdict: Verdict;
  worth: Worth | null;
  points: number;
  wasCut: boolean;
  recommendation: RecommendationInput | null;
};

export function formatVerdict({ verdict, worth, points, wasCut, recommendation }: VerdictFacts): string {
  const { changes, judged, predicted, requests, before, after, best, whatIf, refusals } = verdict;
  const head =
    verdict.state === "holds"
      ? "Recommended. All effects are simulated: accelerator time for output tokens, less is better."
      : formatRefusals(refusals);
  const lines = [
    head,
    "",
    `${points} settings tried${wasCut ? ", ended early" : ""}; chosen on ${requests.chosenOn} requests, judged on ${requests.judgedOn} later ones.`,
  ];
  if (changes.length > 0)
    lines.push(
      "",
      formatTable(
        [
          ["setting", "now", "proposed", "effect, 80% interval"],
          ...changes.map(({ knob, from, to, effect }) => [
            KNOBS[knob].describe,
            String(from),
            String(to),
            range(effect),
          ]),
          ["together", "", "", range(judged)],
        ],
        3,
      ),
      `  predicted by the earlier traffic: ${range(predicted)}`,
    );
  if (before && after)
    lines.push(
      "",
      formatTable([
        ["people's requests", "now", "proposed"],
        ["prompt tokens found in a cache", percent(before.hitRate).slice(1), percent(after.hitRate).slice(1)],
        ["first token p90, ms", ms(before.waits.interactive.ttftMs?.p90), ms(after.waits.interactive.ttftMs?.p90)],
        ["token after it p90, ms", ms(before.waits.interactive.tpotMs?.p90), ms(after.waits.interactive.tpotMs?.p90)],
      ]),
    );
  if (best)
    lines.push(
      "",
      `Best possible: ${best.after.boundGpuS.toFixed(0)} GPU-seconds where these settings take ${best.after.usedGpuS.toFixed(0)} and the present ones ${best.before.usedGpuS.toFixed(0)}; the cache could hold ${percent(best.after.optimalHitRate).slice(1)}.`,
    );
  if (worth)
    lines.push(
      `Worth a month: ${worth.capacityUsdMonth} USD of accelerator time (${worth.freedAccelerators.toFixed(2)} accelerators); ${worth.cashUsdMonth} USD of cash.`,
    );
  for (const { factor, effect, breaches, refused } of whatIf)
    lines.push(
      `At ${factor} times the traffic: ${refused === null ? range(effect) : `refused, ${refused}`}${breaches.length > 0 ? ", over a limit" : ""}`,
    );
  for (const risk of recommendation?.risks ?? []) lines.push(`Risk: ${risk}`);
  for (const { engine, text, cannot } of recommendation?.apply ?? []) {
    lines.push("", `${engine}:`, ...(text === "" ? [] : [text]), ...cannot.map((one) => `  can't: ${one}`));
  }
  return lines.join("\n");
}

const ms = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(1));
