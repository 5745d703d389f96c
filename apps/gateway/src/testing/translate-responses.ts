/** For tests only: a Responses request through its translation, and a Chat Completions answer back. */
import translation from "../translations/responses-to-chat.ts";
import { readEvents, type SentEvent } from "./chat-chunks.ts";

export const tool = {
  type: "function",
  name: "run",
  description: "runs",
  parameters: { type: "object" },
  strict: true,
};
export const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

export const translate = (more: object = {}) =>
  translation.translate({ model: "m", input: [user("hi")], stream: true, ...more });

export function translateAnswer(chunks: readonly string[], more: object = {}): SentEvent[] {
  const { answer } = translate(more);
  return readEvents(chunks.map((data) => answer.event(data)).join("") + answer.end());
}
