/**
 * Stage api.safety: every check reads what no check has let pass before, beside inference. What a refusal does to the answer is
 * decided where the answer is forwarded. Invariant: a check that fails refuses; it never lets pass.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import type { SafetyCheck, SafetyPolicy } from "@centspan/model";
import { setAttributes } from "@centspan/telemetry";
import type { AllowedTexts, NewTexts } from "../allowed-texts.ts";
import { type Exchange, runStage } from "../exchange.ts";
import { listTexts } from "../request-texts.ts";

export type SafetyOptions = { checks: readonly SafetyCheck[]; policy: SafetyPolicy; allowed: AllowedTexts };

export type SafetyWatch = {
  policy: SafetyPolicy;
  /** The refusal once all checks are done, null when none refuses. Never rejects. */
  verdict: Promise<CentspanError | null>;
  /** The refusal as far as it is known. */
  refusal(): CentspanError | null;
  isDone(): boolean;
  /** Tells when inference runs, for the overlap. */
  inferenceStarted(): void;
  inferenceEnded(): void;
};

/** `json` is the request as it goes on. */
export function checkSafety(exchange: Exchange, json: unknown, options: SafetyOptions): SafetyWatch {
  let news: NewTexts | null = options.allowed.selectNew(listTexts(json));
  let newText = news.texts.join("\n");
  let inferenceFromMs = Number.POSITIVE_INFINITY;
  let inferenceToMs = Number.POSITIVE_INFINITY;
  let refusal: CentspanError | null = null;
  let isRead = true;
  let isDone = false;

  const run = (check: SafetyCheck): Promise<void> =>
    runStage(exchange, "api.safety", async (span) => {
      const startedMs = performance.now();
      setAttributes(span, { "centspan.safety.check": check.id, "centspan.safety.policy": options.policy });
      try {
        const { allowed, reason, unread } = await check.check(newText);
        if (unread === true) {
          isRead = false;
          setAttributes(span, { "centspan.safety.unread": true });
        }
        if (!allowed) throw new CentspanError("content_blocked", `${check.id}: the request ${reason}`);
      } finally {
        const endedMs = Math.min(performance.now(), inferenceToMs);
        const overlapMs = endedMs - Math.max(startedMs, inferenceFromMs);
        setAttributes(span, { "centspan.safety.overlap_ms": Math.max(overlapMs, 0) });
      }
    }).catch((thrown: unknown) => {
      refusal ??= asCentspanError(thrown);
    });

  return {
    policy: options.policy,
    verdict: Promise.all(options.checks.map(run)).then(() => {
      isDone = true;
      if (refusal === null && isRead) news?.allow();
      // Who watches does so until an answer has ended.
      news = null;
      newText = "";
      return refusal;
    }),
    refusal: () => refusal,
    isDone: () => isDone,
    inferenceStarted() {
      inferenceFromMs = performance.now();
    },
    inferenceEnded() {
      inferenceToMs = performance.now();
    },
  };
}
