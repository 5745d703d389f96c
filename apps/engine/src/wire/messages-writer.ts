/**
 * Answers in the shape of Anthropic's Messages API. Reasoning is counted, not shown.
 * Nothing is written before the first token: only then is it known what of the prompt was cached, and `message_start`
 * has to say so.
 */
import { createMessagesWriter as createEvents } from "@centspan/model";
import type { Writer, WriterOptions } from "./writer.ts";

const STOP_REASONS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as const;

export function createMessagesWriter({ id, model, plan }: WriterOptions): Writer {
  const events = createEvents({ id, model });
  let open = -1;
  return {
    start: () => "",
    begin: (prompt) => events.start({ ...prompt, outputTokens: 1, reasoningTokens: 0 }),
    token(at) {
      const token = plan.tokens[at];
      const part = token && plan.parts[token.part];
      if (!part) throw new Error(`the plan has no token ${at}`);
      // A call is named before it has arguments; a text without a letter is no block.
      if (part.kind === "reasoning" || (part.kind === "text" && token.text === "")) return "";
      const opened = token.part === open ? "" : events.open(part);
      open = token.part;
      return opened + events.append(token.text);
    },
    finish: (usage) => events.finish(usage, { reason: STOP_REASONS[plan.finishReason] }),
    fail: (error) => events.fail(error),
    result: () => events.result(),
  };
}
