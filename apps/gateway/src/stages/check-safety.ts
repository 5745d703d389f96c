/**
 * Stage api.safety: every check reads what no check has let pass before, beside inference. What a refusal does to the answer is
 * decided where the answer is forwarded. Invariant: a check that fails refuses; it never lets pass.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import {
  type Conversation,
  type ConversationItem,
  renderPrompt,
  type SafetyCheck,
  type SafetyPolicy,
} from "@centspan/model";
import { setAttributes } from "@centspan/telemetry";
import type { AllowedTexts } from "../allowed-texts.ts";
import { type Exchange, runStage } from "../exchange.ts";

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

export function checkSafety(exchange: Exchange, conversation: Conversation, options: SafetyOptions): SafetyWatch {
  const news = options.allowed.selectNew(listTexts(conversation));
  const newText = news.texts.join("\n");
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
      if (refusal === null && isRead) news.allow();
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

const isModelTurn = (item: ConversationItem): boolean =>
  item.type === "tool_call" || (item.type === "message" && item.role === "assistant");

/** What people, programs and tools say to the model. Its own turns answer what was checked. */
const listTexts = (conversation: Conversation): string[] => [
  ...renderPrompt({ ...conversation, items: conversation.items.filter((item) => !isModelTurn(item)) }),
];
