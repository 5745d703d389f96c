/**
 * A conversation in the one shape that tokenizer, engine and players understand, whatever protocol it came by.
 * Protocol readers map their items here; nothing else knows how a provider writes a tool call.
 */
export type ConversationItem =
  | { type: "message"; role: "system" | "developer" | "user" | "assistant"; text: string }
  | { type: "tool_call"; callId: string; name: string; argumentsJson: string }
  | { type: "tool_result"; callId: string; output: string };

export type ToolDefinition = { name: string; description: string; parametersJson: string };

export type Conversation = { instructions: string; tools: ToolDefinition[]; items: ConversationItem[] };

/** What a model answers in one turn. */
export type ModelTurn = {
  reasoning: string;
  text: string;
  toolCalls: { name: string; argumentsJson: string }[];
  finishReason: "stop" | "tool_calls" | "length";
};

/** The exact text the tokenizer sees for each piece, in prompt order: the same in gateway, engine and simulator. */
export function* renderPrompt(conversation: Conversation): Generator<string> {
  for (const { head, text } of listPieces(conversation)) yield head + text;
}

/** A piece of a prompt in two: its rendering is one after the other. To compare pieces, neither needs to be rendered. */
export type PromptPiece = { head: string; text: string };

export function* listPieces({ instructions, tools, items }: Conversation): Generator<PromptPiece> {
  if (instructions !== "") yield { head: "<|system|>", text: instructions };
  for (const tool of tools) yield { head: `<|tool|>${tool.name}\n${tool.description}\n`, text: tool.parametersJson };
  for (const item of items) yield describeItem(item);
}

export function renderItem(item: ConversationItem): string {
  const { head, text } = describeItem(item);
  return head + text;
}

function describeItem(item: ConversationItem): PromptPiece {
  switch (item.type) {
    case "message":
      return { head: `<|${item.role}|>`, text: item.text };
    case "tool_call":
      return { head: `<|call|>${item.name} `, text: item.argumentsJson };
    case "tool_result":
      return { head: "<|result|>", text: item.output };
  }
}
