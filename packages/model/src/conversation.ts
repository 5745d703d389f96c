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
  if (conversation.instructions !== "") yield `<|system|>${conversation.instructions}`;
  for (const tool of conversation.tools) yield `<|tool|>${tool.name}\n${tool.description}\n${tool.parametersJson}`;
  for (const item of conversation.items) yield renderItem(item);
}

export function renderItem(item: ConversationItem): string {
  switch (item.type) {
    case "message":
      return `<|${item.role}|>${item.text}`;
    case "tool_call":
      return `<|call|>${item.name} ${item.argumentsJson}`;
    case "tool_result":
      return `<|result|>${item.output}`;
  }
}
