/**
 * The part of OpenAI's Responses request that Centspan reads. Everything else passes through untouched,
 * so schemas are loose: they check what is read and ignore what is not.
 */
import { z } from "zod";
import type { Conversation, ConversationItem } from "./conversation.ts";
import { effortName, modelName } from "./request-names.ts";

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(contentPart)]);

/** Item types that are read member by member. Every other type (agents have many, and add more) is read as a whole. */
const READ_TYPES = [
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "message",
  "reasoning",
];

/** An item whose members nobody here reads: what the model sees of it is its JSON. */
const otherItem = z
  .looseObject({ type: z.string().refine((type) => !READ_TYPES.includes(type)) })
  .transform((item) => ({ type: "other" as const, json: JSON.stringify(item) }));

const responsesItemSchema = z.union([
  z.looseObject({ type: z.literal("function_call"), call_id: z.string(), name: z.string(), arguments: z.string() }),
  z.looseObject({ type: z.literal("function_call_output"), call_id: z.string(), output: content }),
  z.looseObject({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user", "assistant"]),
    content,
  }),
  z.looseObject({ type: z.literal("custom_tool_call"), call_id: z.string(), name: z.string(), input: z.string() }),
  z.looseObject({ type: z.literal("custom_tool_call_output"), call_id: z.string(), output: content }),
  z.looseObject({ type: z.literal("reasoning") }),
  otherItem,
]);

export const responsesRequestSchema = z.looseObject({
  model: modelName,
  input: z.union([z.string(), z.array(responsesItemSchema)]),
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        description: z.string().nullish(),
        parameters: z.unknown().optional(),
      }),
    )
    .nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  reasoning: z.looseObject({ effort: effortName.nullish() }).nullish(),
  prompt_cache_key: z.string().nullish(),
  /** Our own engine only: the prompt's token ids, so that it need not tokenize again. */
  prompt_token_ids: z.array(z.int().nonnegative()).optional(),
});
export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

const readContent = (value: z.infer<typeof content>): string =>
  typeof value === "string" ? value : value.map((part) => part.text ?? "").join("");

function readItem(item: z.infer<typeof responsesItemSchema>): ConversationItem | null {
  switch (item.type) {
    case "function_call":
      return { type: "tool_call", callId: item.call_id, name: item.name, argumentsJson: item.arguments };
    case "function_call_output":
      return { type: "tool_result", callId: item.call_id, output: readContent(item.output) };
    case "custom_tool_call":
      return { type: "tool_call", callId: item.call_id, name: item.name, argumentsJson: item.input };
    case "custom_tool_call_output":
      return { type: "tool_result", callId: item.call_id, output: readContent(item.output) };
    case "reasoning":
      return null;
    case "other":
      return { type: "message", role: "developer", text: item.json };
    default:
      return { type: "message", role: item.role, text: readContent(item.content) };
  }
}

export function readResponsesConversation(request: ResponsesRequest): Conversation {
  const items: ConversationItem[] =
    typeof request.input === "string"
      ? [{ type: "message", role: "user", text: request.input }]
      : request.input.flatMap((item) => readItem(item) ?? []);
  const tools = (request.tools ?? []).map((tool) => ({
    name: tool.name ?? tool.type,
    description: tool.description ?? "",
    parametersJson: JSON.stringify(tool.parameters ?? {}),
  }));
  return { instructions: request.instructions ?? "", tools, items };
}
