/**
 * Writes an answer in the shape of Anthropic's Messages API: its events as they come, and the whole message at the end.
 * Pure: what it returns depends on the calls alone. Facts: docs.anthropic.com, "Streaming messages".
 */
import type { CentspanError } from "@centspan/base";
import { toAnthropicError } from "./protocol-errors.ts";
import { deriveItemId, type ResponsesUsage } from "./responses-writer.ts";

/** What a content block is. Without a call id one is derived from the answer's. */
export type MessagesPart = { kind: "text" } | { kind: "call"; name: string; callId?: string };

export type MessagesStop = {
  reason: "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "refusal";
  sequence?: string;
};

/** All but `result` return server-sent events, ready for the wire. */
export type MessagesWriter = {
  /** What is known of the usage before anything is generated. */
  start(usage: ResponsesUsage): string;
  /** Ends the block before. */
  open(part: MessagesPart): string;
  /** More text of the open block; of a call it is the JSON of its input. */
  append(text: string): string;
  finish(usage: ResponsesUsage, stop: MessagesStop): string;
  fail(error: CentspanError): string;
  /** The answer as one object, once finished. */
  result(): unknown;
};

type OpenBlock = { index: number; part: MessagesPart; text: string };

export function createMessagesWriter({ id, model }: { id: string; model: string }): MessagesWriter {
  const content: object[] = [];
  let opened = 0;
  let block: OpenBlock | null = null;
  let final: object | null = null;

  const message = (fields: object): object => ({ id, type: "message", role: "assistant", model, ...fields });

  const describeBlock = ({ part, index }: OpenBlock, filled: { text: string; input: unknown }): object =>
    part.kind === "text"
      ? { type: "text", text: filled.text }
      : {
          type: "tool_use",
          id: part.callId ?? deriveItemId("toolu", id, index),
          name: part.name,
          input: filled.input,
        };

  const closeBlock = (isCut: boolean): string => {
    if (!block) return "";
    const { part, text, index } = block;
    const input = part.kind === "call" ? readInput(text, isCut) : null;
    if (input !== undefined) content.push(describeBlock(block, { text, input }));
    block = null;
    return send({ type: "content_block_stop", index });
  };

  return {
    start(usage) {
      const fields = { content: [], stop_reason: null, stop_sequence: null, usage: describeUsage(usage) };
      return send({ type: "message_start", message: message(fields) }) + send({ type: "ping" });
    },
    open(part) {
      const before = closeBlock(false);
      block = { part, index: opened++, text: "" };
      const empty = describeBlock(block, { text: "", input: {} });
      return before + send({ type: "content_block_start", index: block.index, content_block: empty });
    },
    append(text) {
      if (!block || text === "") return "";
      block.text += text;
      const delta =
        block.part.kind === "text" ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text };
      return send({ type: "content_block_delta", index: block.index, delta });
    },
    finish(counted, { reason, sequence = null }) {
      const closed = closeBlock(reason === "max_tokens");
      const stop = { stop_reason: reason, stop_sequence: sequence };
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

/**
 * A call that was cut off has no input yet: it is in the stream as far as it came, and not in the whole message. One that
 * is complete and no JSON has its text, so that whoever runs the tool can say what is wrong with it.
 */
function readInput(text: string, isCut: boolean): unknown {
  if (text === "") return isCut ? undefined : {};
  try {
    return JSON.parse(text);
  } catch {
    return isCut ? undefined : text;
  }
}

/** Cached tokens stand beside the input, not in it. */
const describeUsage = (usage: ResponsesUsage): object => ({
  input_tokens: usage.inputTokens - usage.cachedTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cachedTokens,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: usage.outputTokens,
  output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  server_tool_use: null,
  service_tier: "standard",
});
