/**
 * Answers in the shape of Anthropic's Messages API. Reasoning is counted, not shown.
 * Nothing is written before the first token: only then is it known what of the prompt was cached, and `message_start`
 * has to say so.
 */
import { deriveItemId, toAnthropicError } from "@centspan/model";
import type { OutputPart } from "../plan-output.ts";
import type { Usage, Writer, WriterOptions } from "./writer.ts";

type ShownPart = Exclude<OutputPart, { kind: "reasoning" }>;
/** A content block under way; a call's text is the JSON of its input. */
type OpenBlock = { part: number; index: number; shown: ShownPart; text: string };

const STOP_REASONS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as const;

export function createMessagesWriter({ id, model, plan }: WriterOptions): Writer {
  const content: object[] = [];
  let opened = 0;
  let block: OpenBlock | null = null;
  let final: object | null = null;

  const message = (fields: object): object => ({ id, type: "message", role: "assistant", model, ...fields });

  const describeBlock = ({ shown, index }: OpenBlock, filled: { text: string; input: unknown }): object =>
    shown.kind === "text"
      ? { type: "text", text: filled.text }
      : { type: "tool_use", id: deriveItemId("toolu", id, index), name: shown.name, input: filled.input };

  const openBlock = (part: number, shown: ShownPart): string => {
    block = { part, index: opened++, shown, text: "" };
    const empty = describeBlock(block, { text: "", input: {} });
    return send({ type: "content_block_start", index: block.index, content_block: empty });
  };

  const closeBlock = (): string => {
    if (!block) return "";
    const { shown, text, index } = block;
    // A call that was cut off has no input yet: it is in the stream as far as it came, and not in the whole message.
    const input = shown.kind === "call" ? parseWhole(text) : null;
    if (input !== undefined) content.push(describeBlock(block, { text, input }));
    block = null;
    return send({ type: "content_block_stop", index });
  };

  return {
    start: () => "",
    begin(prompt) {
      const usage = describeUsage({ ...prompt, outputTokens: 1, reasoningTokens: 0 });
      const started = message({ content: [], stop_reason: null, stop_sequence: null, usage });
      return send({ type: "message_start", message: started }) + send({ type: "ping" });
    },
    token(at) {
      const token = plan.tokens[at];
      const part = token && plan.parts[token.part];
      if (!part) throw new Error(`the plan has no token ${at}`);
      // A call is named before it has arguments; a text without a letter is no block.
      if (part.kind === "reasoning" || (part.kind === "text" && token.text === "")) return "";
      const before = block?.part === token.part ? "" : closeBlock() + openBlock(token.part, part);
      if (!block || token.text === "") return before;
      block.text += token.text;
      const delta =
        part.kind === "text"
          ? { type: "text_delta", text: token.text }
          : { type: "input_json_delta", partial_json: token.text };
      return before + send({ type: "content_block_delta", index: block.index, delta });
    },
    finish(counted) {
      const closed = closeBlock();
      const stop = { stop_reason: STOP_REASONS[plan.finishReason], stop_sequence: null };
      const usage = describeUsage(counted);
      final = message({ content, ...stop, usage });
      return closed + send({ type: "message_delta", delta: stop, usage }) + send({ type: "message_stop" });
    },
    fail: (error) => send(toAnthropicError(error)),
    result: () => final,
  };
}

const send = (event: { type: string; [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function parseWhole(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Cached tokens stand beside the input, not in it. */
const describeUsage = (usage: Usage): object => ({
  input_tokens: usage.inputTokens - usage.cachedTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cachedTokens,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: usage.outputTokens,
  output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  server_tool_use: null,
  service_tier: "standard",
});
