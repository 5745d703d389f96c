/** What Chat Completions say: the first choice's text and calls. */
import type { OutputParts, OutputReader } from "./output-parts.ts";

function read(said: unknown, parts: OutputParts): void {
  const { content, tool_calls: calls } = Object(said);
  if (typeof content === "string" && content !== "") parts.addText("text", content);
  if (!Array.isArray(calls)) return;
  for (const [at, call] of calls.entries()) {
    const { index = at, id, function: called, custom } = Object(call);
    const { name, arguments: args, input } = Object(called ?? custom);
    parts.addCall(`call ${index}`, { id, name }, args ?? input);
  }
}

const chatOutput: OutputReader = {
  readEvent: (json, parts) => read(Object(Object(json).choices?.[0]).delta, parts),
  readAnswer: (json, parts) => read(Object(Object(json).choices?.[0]).message, parts),
};
export default chatOutput;
