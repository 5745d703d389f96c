/** What Responses say: items of text and calls. Each comes in pieces and then whole. */
import type { OutputParts, OutputReader } from "./output-parts.ts";

function readItem(item: unknown, index: unknown, parts: OutputParts): void {
  const { type, content, call_id: id, name, arguments: args, input } = Object(item);
  parts.drop(`${index}`);
  if (type === "function_call") parts.addCall(`${index}`, { id, name }, args);
  if (type === "custom_tool_call") parts.addCall(`${index}`, { id, name }, input);
  if (type !== "message" || !Array.isArray(content)) return;
  for (const block of content) parts.addText(`${index}`, Object(block).text ?? Object(block).refusal);
}

const responsesOutput: OutputReader = {
  readEvent(json, parts) {
    const { type, output_index: index = 0, delta, item } = Object(json);
    if (type === "response.output_text.delta") parts.addText(`${index}`, delta);
    if (type === "response.output_item.done") readItem(item, index, parts);
  },
  readAnswer(json, parts) {
    const { output } = Object(json);
    if (Array.isArray(output)) for (const [index, item] of output.entries()) readItem(item, index, parts);
  },
};
export default responsesOutput;
