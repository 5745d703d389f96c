/**
 * Text of conversations on spans, where somebody asked for it, in the words of the GenAI conventions: without the secrets that
 * are recognised in it, and no longer than a span is good for.
 */
import type { CallObservation, ToolObservation } from "@centspan/model";
import { clipText } from "@centspan/telemetry/content";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";

const MOST_CHARS = 64 * 1024;
const MOST_TOOL_CHARS = 16 * 1024;
const MOST_TITLE_CHARS = 120;

const isCut = (cut: boolean): SpanAttributes => (cut ? { "centspan.content.truncated": true } : {});
const toMessages = (role: "user" | "assistant", content: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content }] }]);

export function describePrompt(messageText: string | undefined): SpanAttributes {
  if (messageText === undefined) return {};
  const { text, cut } = clipText(messageText, MOST_CHARS);
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  return {
    "centspan.prompt.title": line.trim().slice(0, MOST_TITLE_CHARS) || undefined,
    "gen_ai.input.messages": toMessages("user", text),
    ...isCut(cut),
  };
}

export function describeAnswer({ answerText = "" }: CallObservation): SpanAttributes {
  if (answerText === "") return {};
  const { text, cut } = clipText(answerText, MOST_CHARS);
  return { "gen_ai.output.messages": toMessages("assistant", text), ...isCut(cut) };
}

export function describeToolText({ inputText, outputText }: ToolObservation): SpanAttributes {
  if (inputText === undefined && outputText === undefined) return {};
  const [input, output] = [inputText ?? "", outputText ?? ""].map((text) => clipText(text, MOST_TOOL_CHARS));
  return {
    "gen_ai.tool.call.arguments": input?.text || undefined,
    "gen_ai.tool.call.result": output?.text || undefined,
    ...isCut(input?.cut === true || output?.cut === true),
  };
}
