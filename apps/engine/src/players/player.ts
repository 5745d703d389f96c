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

/**
 * Assistant turns so far: what the assistant said and called between two inputs is one turn. Of a conversation that was cut
 * the handover says how many there were before.
 */
export function countAssistantTurns(conversation: Conversation): number {
  let turns = readHandover(conversation);
  let before = false;
  for (const item of conversation.items) {
    const now = isByAssistant(item);
    if (now && !before) turns += 1;
    before = now;
  }
  return turns;
}

export const say = (text: string): PlayedTurn => ({ reasoning: "", text, toolCalls: [] });

const NOTE = "Answers before the latest";

function readHandover({ items }: Conversation): number {
  const handovers = items.flatMap((item) =>
    item.type === "message" && item.role === "user" && item.text.startsWith("Handover:") ? [item.text] : [],
  );
  return Number(new RegExp(`^${NOTE}: (\\d+)$`, "m").exec(handovers.at(-1) ?? "")?.[1] ?? 0);
}

/** Players keep nothing of a conversation but how far it is, so that is all they hand over. The latest answer stays in it. */
export function withHandover({ model, answer }: Player): Player {
  return {
    model,
    answer(conversation) {
      const last = conversation.items.at(-1);
      if (last?.type !== "message" || !last.text.startsWith("Handover request:")) return answer(conversation);
      return say(`${NOTE}: ${Math.max(0, countAssistantTurns(conversation) - 1)}`);
    },
  };
}
