/** What Messages say: blocks of text and calls, by their index. */
import type { OutputParts, OutputReader } from "./output-parts.ts";

function readBlock(block: unknown, index: unknown, parts: OutputParts): void {
  const { type, text, id, name, input } = Object(block);
  if (type === "text" && text !== "") parts.addText(`${index}`, text);
  // In a stream the input begins empty and comes in pieces.
  if (type === "tool_use") {
    const isEmpty = Object.keys(Object(input)).length === 0;
    parts.addCall(`${index}`, { id, name }, isEmpty ? "" : JSON.stringify(input));
  }
}

const messagesOutput: OutputReader = {
  readEvent(json, parts) {
    const { type, index, content_block: block, delta } = Object(json);
    if (type === "content_block_start") readBlock(block, index, parts);
    if (type !== "content_block_delta") return;
    const { type: kind, text, partial_json: input } = Object(delta);
    if (kind === "text_delta") parts.addText(`${index}`, text);
    if (kind === "input_json_delta") parts.addCall(`${index}`, {}, input);
  },
  readAnswer(json, parts) {
    const { content } = Object(json);
    if (Array.isArray(content)) for (const [index, block] of content.entries()) readBlock(block, index, parts);
  },
};
export default messagesOutput;
