/**
 * The part of Anthropic's Messages request that Centspan reads. Everything else passes through untouched: schemas are
 * loose, and a block of a type that nobody here knows counts as its JSON.
 */
import { z } from "zod";
import type { Conversation, ConversationItem } from "./conversation.ts";
import { effortName, modelName } from "./request-names.ts";

/** Read for their text alone: what an image, a page or a tool returned besides is not text. */
const innerBlocks = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

const sourceSchema = z.looseObject({
  type: z.string(),
  data: z.string().optional(),
  content: innerBlocks.optional(),
});

/** By its type, not by trying: a conversation has thousands of blocks. */
const knownBlock = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.literal("tool_result"), tool_use_id: z.string(), content: innerBlocks.nullish() }),
  z.looseObject({ type: z.enum(["thinking", "redacted_thinking"]) }),
  z.looseObject({ type: z.enum(["image", "document"]), source: sourceSchema.optional() }),
]);
const READ_TYPES: ReadonlySet<unknown> = new Set(
  knownBlock.options.flatMap(({ shape }) => [...shape.type._zod.values]),
);

const otherBlock = z
  .looseObject({ type: z.string().refine((type) => !READ_TYPES.has(type)) })
  .transform((block) => ({ type: "other" as const, json: JSON.stringify(block) }));

const blockSchema = z.union([knownBlock, otherBlock]);

const messageSchema = z.looseObject({
  // An instruction may come in the midst of a conversation.
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(blockSchema)]),
});

const toolSchema = z.looseObject({
  // Tools that the provider runs have a type and no schema.
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().nullish(),
  input_schema: z.unknown().optional(),
});

/** What is counted before it is sent has no answer to limit. */
export const countTokensRequestSchema = z.looseObject({
  model: modelName,
  messages: z.array(messageSchema).min(1),
  system: innerBlocks.nullish(),
  tools: z.array(toolSchema).nullish(),
});
type PromptOfMessages = z.infer<typeof countTokensRequestSchema>;

export const messagesRequestSchema = countTokensRequestSchema.extend({
  /** 0 fills the provider's cache and generates nothing. */
  max_tokens: z.int().nonnegative(),
  stream: z.boolean().nullish(),
  output_config: z.looseObject({ effort: effortName.nullish() }).nullish(),
  /** Our own engine only: the prompt's token ids, so that it need not tokenize again. */
  prompt_token_ids: z.array(z.int().nonnegative()).optional(),
});
export type MessagesRequest = z.infer<typeof messagesRequestSchema>;

const readText = (value: z.infer<typeof innerBlocks> | null | undefined): string =>
  typeof value === "string" ? value : (value ?? []).map((block) => block.text ?? "").join("");

/** Only a source that is text is read; the others are bytes, or stand somewhere else. */
function readSource(source: z.infer<typeof sourceSchema> | undefined): string {
  if (source?.type === "text") return source.data ?? "";
  return source?.type === "content" ? readText(source.content) : "";
}

type Role = z.infer<typeof messageSchema>["role"];

/** Thinking of earlier turns is not read again, and neither is what is no text. */
function readBlock(role: Role, block: z.infer<typeof blockSchema>): ConversationItem | null {
  const say = (text: string): ConversationItem | null => (text === "" ? null : { type: "message", role, text });
  switch (block.type) {
    case "text":
      return say(block.text);
    case "tool_use":
      return {
        type: "tool_call",
        callId: block.id,
        name: block.name,
        argumentsJson: JSON.stringify(block.input ?? {}),
      };
    case "tool_result":
      return { type: "tool_result", callId: block.tool_use_id, output: readText(block.content) };
    case "image":
    case "document":
      return say(readSource(block.source));
    case "other":
      return say(block.json);
    default:
      return null;
  }
}

/** Texts beside each other in a message are one: where they are cut shifts with marks that mean nothing to the model. */
function readMessage({ role, content }: z.infer<typeof messageSchema>): ConversationItem[] {
  if (typeof content === "string") return [{ type: "message", role, text: content }];
  const items: ConversationItem[] = [];
  for (const block of content) {
    const item = readBlock(role, block);
    const last = items.at(-1);
    if (item?.type === "message" && last?.type === "message") last.text += item.text;
    else if (item) items.push(item);
  }
  return items;
}

export function readMessagesConversation(request: PromptOfMessages): Conversation {
  return {
    instructions: readText(request.system),
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.name ?? tool.type ?? "",
      description: tool.description ?? "",
      parametersJson: JSON.stringify(tool.input_schema ?? {}),
    })),
    items: request.messages.flatMap(readMessage),
  };
}
