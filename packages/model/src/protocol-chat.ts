/**
 * The part of OpenAI's Chat Completions request that Centspan reads; everything else passes through untouched.
 */
import { z } from "zod";
import type { Conversation, ConversationItem } from "./conversation.ts";

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

export const chatMessageSchema = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: content.nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
});

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal("function"),
        function: z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.unknown().optional(),
        }),
      }),
    )
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  reasoning_effort: z.string().nullish(),
  prompt_token_ids: z.array(z.int().nonnegative()).optional(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

function readMessage(message: z.infer<typeof chatMessageSchema>): ConversationItem[] {
  const text =
    typeof message.content === "string"
      ? message.content
      : (message.content ?? []).map((part) => part.text ?? "").join("");
  if (message.role === "tool") return [{ type: "tool_result", callId: message.tool_call_id ?? "", output: text }];
  const calls = (message.tool_calls ?? []).map(
    (call): ConversationItem => ({
      type: "tool_call",
      callId: call.id,
      name: call.function.name,
      argumentsJson: call.function.arguments,
    }),
  );
  const said: ConversationItem[] = text === "" ? [] : [{ type: "message", role: message.role, text }];
  return [...said, ...calls];
}

export function readChatConversation(request: ChatRequest): Conversation {
  return {
    instructions: "",
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.function.name,
      description: tool.function.description ?? "",
      parametersJson: JSON.stringify(tool.function.parameters ?? {}),
    })),
    items: request.messages.flatMap(readMessage),
  };
}
