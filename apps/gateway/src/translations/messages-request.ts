/** A Messages request → a Chat Completions request. */
import { type MessagesRequest, messagesRequestSchema } from "@centspan/model";
import { z } from "zod";
import {
  addCall,
  type ChatMessage,
  type ChatPart,
  chooseFunction,
  copyMembers,
  joinParts,
  leaveOut,
  listUnsaid,
  read,
  refuse,
  writeFunction,
  writeSchemaFormat,
} from "./chat-parts.ts";

export type MessagesAsChat = { request: Record<string, unknown>; dropped: string[]; messages: MessagesRequest };

/** Members by their names there. */
const COPIED = {
  model: "model",
  max_tokens: "max_tokens",
  temperature: "temperature",
  top_p: "top_p",
  stream: "stream",
  stop_sequences: "stop",
  prompt_token_ids: "prompt_token_ids",
};
/** Members that are said in another way, or that concern nobody but the provider. */
const SAID_OTHERWISE = new Set([
  ...Object.keys(COPIED),
  ...["messages", "system", "tools", "tool_choice", "output_config", "metadata", "cache_control"],
]);

/** `json` has passed the schema of Messages requests. */
export function writeMessagesAsChat(json: unknown): MessagesAsChat {
  const messages = messagesRequestSchema.parse(json);
  const source = z.record(z.string(), z.unknown()).parse(json);
  // It only fills a cache, and servers of the other protocol generate at least one token.
  if (messages.max_tokens === 0) throw refuse("max_tokens", 0);
  const dropped = listUnsaid(source, SAID_OTHERWISE);
  const request: Record<string, unknown> = { ...copyMembers(source, COPIED), messages: writeAll(messages, dropped) };
  const tools = writeTools(messages.tools ?? [], dropped);
  if (tools.length > 0) Object.assign(request, { tools }, writeToolChoice(source.tool_choice));
  const { effort, format } = read(outputConfigSchema, source.output_config ?? {}, "output_config");
  if (effort != null) request.reasoning_effort = effort;
  if (format != null) request.response_format = writeSchemaFormat("answer", format.schema);
  return { request, dropped, messages };
}

const outputConfigSchema = z.looseObject({
  effort: z.string().nullish(),
  format: z.looseObject({ type: z.literal("json_schema"), schema: z.unknown() }).nullish(),
});

function writeTools(tools: NonNullable<MessagesRequest["tools"]>, dropped: string[]): object[] {
  return tools.flatMap(({ type, name = "", description, input_schema: schema, strict }, index) => {
    if (type == null || type === "custom") return [writeFunction(name, description ?? undefined, schema, strict)];
    dropped.push(`tools[${index}]: ${type}`);
    return [];
  });
}

const choiceSchema = z.looseObject({
  type: z.enum(["auto", "any", "tool", "none"]),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().optional(),
});

function writeToolChoice(choice: unknown): object {
  if (choice == null) return {};
  const { type, name = "", disable_parallel_tool_use: single } = read(choiceSchema, choice, "tool_choice");
  const other = type === "any" ? "required" : type;
  return {
    tool_choice: type === "tool" ? chooseFunction(name) : other,
    ...(single === true && { parallel_tool_calls: false }),
  };
}

function writeAll({ system, messages }: MessagesRequest, dropped: string[]): ChatMessage[] {
  const written: ChatMessage[] = [];
  if (system != null && system.length > 0) {
    written.push({ role: "system", content: writeContent(system, "system") });
  }
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages[${index}].content`;
    if (typeof content === "string") written.push({ role, content });
    else writeBlocks(written, role, read(z.array(blockSchema), content, path), { path, dropped });
  }
  return written;
}

const blockSchema = z.looseObject({ type: z.string() });
type Block = z.infer<typeof blockSchema>;
const callSchema = z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() });
const resultSchema = z.looseObject({
  tool_use_id: z.string(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});

/** What a model thought is not said again. */
const THOUGHTS: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

/** Results of tools are messages of their own, and come before what else the user says. */
function writeBlocks(
  written: ChatMessage[],
  role: string,
  blocks: readonly Block[],
  { path, dropped }: { path: string; dropped: string[] },
): void {
  const parts: ChatPart[] = [];
  const calls: z.infer<typeof callSchema>[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}[${index}]`;
    if (block.type === "tool_use") calls.push(read(callSchema, block, at));
    else if (block.type === "tool_result") {
      const { tool_use_id: id, content, is_error: isError } = read(resultSchema, block, at);
      const shown = writeParts(content ?? [], `${at}.content`);
      const texts = shown.filter(({ type }) => type === "text");
      written.push({ role: "tool", tool_call_id: id, content: joinParts(texts) });
      // A tool's message is text by the protocol: what it shows is shown by the user.
      parts.push(...shown.filter(({ type }) => type !== "text"));
      if (isError === true) dropped.push(`${at}.is_error`);
    } else if (THOUGHTS.has(block.type)) leaveOut(dropped, `messages: ${block.type}`);
    else parts.push(...writeParts([block], path, index));
  }
  if (parts.length > 0) written.push({ role, content: joinParts(parts) });
  // Two turns of the model beside each other stay two.
  else if (calls.length > 0) written.push({ role, content: null });
  for (const { id, name, input } of calls) {
    addCall(written, id, name, typeof input === "string" ? input : JSON.stringify(input ?? {}));
  }
}

const writeContent = (content: unknown, path: string): unknown => joinParts(writeParts(content, path));

const sourceSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.looseObject({ type: z.literal("url"), url: z.string() }),
  z.looseObject({ type: z.literal("text"), data: z.string() }),
  z.looseObject({ type: z.literal("content"), content: z.unknown() }),
  z.looseObject({ type: z.literal("file") }),
]);

/** `first` is the place of the first block in its list. */
function writeParts(content: unknown, path: string, first = 0): ChatPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return read(z.array(blockSchema), content, path).flatMap((block, index): ChatPart[] => {
    const at = `${path}[${first + index}]`;
    switch (block.type) {
      case "text":
        return [{ type: "text", text: read(z.string(), block.text, `${at}.text`) }];
      case "image":
      case "document":
        return writeSource(block, at);
      default:
        throw refuse(`${at}.type`, block.type);
    }
  });
}

function writeSource({ type, source: given }: Block, path: string): ChatPart[] {
  const source = read(sourceSchema, given, `${path}.source`);
  if (type === "image" && source.type === "base64") {
    return [{ type: "image_url", image_url: { url: `data:${source.media_type};base64,${source.data}` } }];
  }
  if (type === "image" && source.type === "url") return [{ type: "image_url", image_url: { url: source.url } }];
  if (type === "document" && source.type === "text") return [{ type: "text", text: source.data }];
  if (type === "document" && source.type === "content") return writeParts(source.content, `${path}.source.content`);
  throw refuse(`${path}.source.type`, source.type);
}
