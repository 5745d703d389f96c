/**
 * The part of OpenAI's Chat Completions request that Centspan reads; everything else passes through untouched.
 */
import { z } from "zod";
import type { Conversation, ConversationItem, ToolDefinition } from "./conversation.ts";
import { effortName, modelName } from "./request-names.ts";

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

const namedTool = { name: z.string(), description: z.string().nullish() };

const toolCallSchema = z.union([
  z.looseObject({
    type: z.literal("function").optional(),
    id: z.string(),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({
    type: z.literal("custom"),
    id: z.string(),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);

const toolSchema = z.union([
  z.looseObject({
    type: z.literal("function"),
    function: z.looseObject({ ...namedTool, parameters: z.unknown().optional() }),
  }),
  z.looseObject({ type: z.literal("custom"), custom: z.looseObject({ ...namedTool, format: z.unknown().optional() }) }),
]);

const chatMessageSchema = z.looseObject({
  // `function` is what results were called before `tool`.
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: content.nullish(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCallSchema).nullish(),
});

export const chatRequestSchema = z.looseObject({
  model: modelName,
  messages: z.array(chatMessageSchema).min(1),
  tools: z.array(toolSchema).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  reasoning_effort: effortName.nullish(),
  prompt_token_ids: z.array(z.int().nonnegative()).optional(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

function readMessage(message: z.infer<typeof chatMessageSchema>): ConversationItem[] {
  const text =
    typeof message.content === "string"
      ? message.content
      : (message.content ?? []).map((part) => part.text ?? "").join("");
  if (message.role === "tool" || message.role === "function")
    return [{ type: "tool_result", callId: message.tool_call_id ?? message.name ?? "", output: text }];
  const calls = (message.tool_calls ?? []).map(readToolCall);
  const said: ConversationItem[] = text === "" ? [] : [{ type: "message", role: message.role, text }];
  return [...said, ...calls];
}

function readToolCall(call: z.infer<typeof toolCallSchema>): ConversationItem {
  const { name, text } =
    call.type === "custom"
      ? { name: call.custom.name, text: call.custom.input }
      : { name: call.function.name, text: call.function.arguments };
  return { type: "tool_call", callId: call.id, name, argumentsJson: text };
}

function readTool(tool: z.infer<typeof toolSchema>): ToolDefinition {
  const { name, description, shape } =
    tool.type === "custom"
      ? { ...tool.custom, shape: tool.custom.format }
      : { ...tool.function, shape: tool.function.parameters };
  return { name, description: description ?? "", parametersJson: JSON.stringify(shape ?? {}) };
}

export function readChatConversation(request: ChatRequest): Conversation {
  return {
    instructions: "",
    tools: (request.tools ?? []).map(readTool),
    items: request.messages.flatMap(readMessage),
  };
}
