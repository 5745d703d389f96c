/**
 * Prompts and answers on a call's span, for keys that want them there, as the GenAI conventions write them: messages of
 * parts, as JSON. Secrets that are recognised are replaced before anything is recorded; of what is too long the newest is
 * kept. Invariant: nothing is read, kept or recorded for a key that did not ask.
 */
import type { Conversation, ConversationItem } from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry";
import { clipText } from "@centspan/telemetry/content";
import { type CallFacts, type InferenceProtocol, parseJson } from "../protocols/protocol.ts";
import { createOutputParts, type OutputPart } from "./output-parts.ts";

/** Of prompt and answer each, and of the instructions. */
export const MAX_CONTENT_CHARS = 64 * 1024;

type Part =
  | { type: "text"; content: string }
  | { type: "tool_call"; id: string; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string; response: string };
type Message = { role: string; parts: Part[] };

/** Those without a text take room, too. */
const MAX_MESSAGES = 1_000;

export function describeInput({ instructions, items }: Conversation): SpanAttributes {
  const system = clipText(instructions, MAX_CONTENT_CHARS);
  const messages: Message[] = [];
  let room = MAX_CONTENT_CHARS;
  let cut = system.cut;
  for (const item of items.toReversed()) {
    if (room <= 0 || messages.length === MAX_MESSAGES) {
      cut = true;
      break;
    }
    const clipped = clipText(readText(item), room);
    room -= clipped.text.length;
    cut ||= clipped.cut;
    messages.push(toMessage(item, clipped.text));
  }
  return {
    "gen_ai.system_instructions":
      instructions === "" ? undefined : JSON.stringify([{ type: "text", content: system.text }]),
    "gen_ai.input.messages": JSON.stringify(messages.toReversed()),
    "centspan.content.truncated": cut ? true : undefined,
  };
}

function readText(item: ConversationItem): string {
  if (item.type === "message") return item.text;
  return item.type === "tool_call" ? item.argumentsJson : item.output;
}

function toMessage(item: ConversationItem, text: string): Message {
  switch (item.type) {
    case "message":
      return { role: item.role === "developer" ? "system" : item.role, parts: [{ type: "text", content: text }] };
    case "tool_call":
      return { role: "assistant", parts: [toCall(item.callId, item.name, text)] };
    case "tool_result":
      return { role: "tool", parts: [{ type: "tool_call_response", id: clipName(item.callId), response: text }] };
  }
}

const toCall = (id: string, name: string, text: string): Part => ({
  type: "tool_call",
  id: clipName(id),
  name: clipName(name),
  // What was cut is no JSON any more, and stays text.
  arguments: parseJson(text) ?? text,
});

const MAX_NAME_CHARS = 256;
const clipName = (name: string): string => clipText(name, MAX_NAME_CHARS).text;

export type OutputCapture = {
  /** The protocol of the answer, reading along. */
  protocol: InferenceProtocol;
  describe(facts: CallFacts): SpanAttributes;
};

export function captureOutput(protocol: InferenceProtocol): OutputCapture {
  const parts = createOutputParts(MAX_CONTENT_CHARS);
  return {
    protocol: {
      ...protocol,
      readEvent(data, facts) {
        protocol.output?.readEvent(parseJson(data), parts);
        return protocol.readEvent(data, facts);
      },
      readAnswer(body, facts) {
        protocol.output?.readAnswer(body, parts);
        protocol.readAnswer(body, facts);
      },
    },
    describe({ finishReasons }) {
      const clipped = parts.list().map((part) => ({ part, ...clipText(part.text, MAX_CONTENT_CHARS, part.cut) }));
      if (clipped.length === 0) return {};
      const said = clipped.map(({ part, text }) => toPart(part, text));
      return {
        "gen_ai.output.messages": JSON.stringify([
          { role: "assistant", parts: said, finish_reason: finishReasons[0] ?? "" },
        ]),
        ...(clipped.some(({ cut }) => cut) && { "centspan.content.truncated": true }),
      };
    },
  };
}

const toPart = (part: OutputPart, text: string): Part =>
  part.type === "text" ? { type: "text", content: text } : toCall(part.id, part.name, text);
