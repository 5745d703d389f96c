/**
 * A player stands in for model weights: it knows what the model answers to a conversation, and nothing of time, tokens
 * in cache or batches. Players are stateless: the same conversation gets the same answer.
 */
import type { Conversation, ConversationItem, ModelTurn } from "@centspan/model";

export type PlayedTurn = Pick<ModelTurn, "reasoning" | "text" | "toolCalls"> & {
  /** Token counts of a recorded answer, which hold whatever our tokenizer would count. */
  recorded?: { outputTokens: number; reasoningTokens: number };
};

export type Player = {
  /** The name by which a request asks for it. */
  model: string;
  answer(conversation: Conversation): PlayedTurn;
};

const isByAssistant = (item: ConversationItem): boolean =>
  item.type === "tool_call" || (item.type === "message" && item.role === "assistant");

/** Assistant turns so far: what the assistant said and called between two inputs is one turn. */
export function countAssistantTurns(conversation: Conversation): number {
  let turns = 0;
  let before = false;
  for (const item of conversation.items) {
    const now = isByAssistant(item);
    if (now && !before) turns += 1;
    before = now;
  }
  return turns;
}

export const say = (text: string): PlayedTurn => ({ reasoning: "", text, toolCalls: [] });
