/** Messages that the harness itself puts into a context. */
import type { ContextItem } from "./context-log.ts";

type Author = "user" | "developer";
export type MessageItem = ContextItem & { role: Author; content: { type: "input_text"; text: string }[] };

const messageOf =
  (role: Author) =>
  (text: string): MessageItem => ({ type: "message", role, content: [{ type: "input_text", text }] });

export const userMessage = messageOf("user");
export const developerMessage = messageOf("developer");
