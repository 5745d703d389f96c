/**
 * What a turn looks like token by token, known at arrival: reasoning first, then the text, then the calls. Each part is
 * tokenized as it will stand in the next prompt, so that an answer sent back is found in the cache unless reasoning,
 * which is never sent back, stood before it.
 * Invariant: the visible text of the tokens joined is the turn's text and arguments, cut where the tokens were.
 */
import { renderItem } from "@centspan/model";
import { splitByToken, type Tokenizer } from "@centspan/tokens";
import type { PlayedTurn } from "./players/player.ts";

export type OutputPart = { kind: "reasoning" } | { kind: "text" } | { kind: "call"; name: string };
export type OutputToken = { part: number; text: string };

export type OutputPlan = {
  parts: OutputPart[];
  tokens: OutputToken[];
  /** Token ids for the cache; empty for recorded answers, whose ids nobody knows. */
  ids: number[];
  reasoningTokens: number;
  finishReason: "stop" | "tool_calls" | "length";
};

export function planOutput(tokenizer: Tokenizer, turn: PlayedTurn, maxTokens: number): OutputPlan {
  const whole = turn.recorded ? planRecorded(turn, turn.recorded) : planPlayed(tokenizer, turn);
  if (whole.tokens.length <= maxTokens) return whole;
  const tokens = whole.tokens.slice(0, maxTokens);
  return {
    ...whole,
    tokens,
    ids: whole.ids.slice(0, maxTokens),
    reasoningTokens: Math.min(whole.reasoningTokens, maxTokens),
    finishReason: "length",
  };
}

function planPlayed(tokenizer: Tokenizer, turn: PlayedTurn): OutputPlan {
  const parts: OutputPart[] = [];
  const tokens: OutputToken[] = [];
  const ids: number[] = [];
  /** `header` is what the rendering puts before the part's own text; its tokens are generated and show nothing. */
  const add = (part: OutputPart, rendered: string, header: number): void => {
    parts.push(part);
    let hidden = header;
    for (const token of splitByToken(tokenizer, rendered)) {
      const cut = Math.min(hidden, token.text.length);
      hidden -= cut;
      ids.push(token.id);
      tokens.push({ part: parts.length - 1, text: token.text.slice(cut) });
    }
  };
  if (turn.reasoning !== "") add({ kind: "reasoning" }, turn.reasoning, turn.reasoning.length);
  const reasoningTokens = tokens.length;
  if (turn.text !== "" || turn.toolCalls.length === 0) {
    const rendered = renderItem({ type: "message", role: "assistant", text: turn.text });
    add({ kind: "text" }, rendered, rendered.length - turn.text.length);
  }
  for (const { name, argumentsJson } of turn.toolCalls) {
    const rendered = renderItem({ type: "tool_call", callId: "", name, argumentsJson });
    add({ kind: "call", name }, rendered, rendered.length - argumentsJson.length);
  }
  return { parts, tokens, ids, reasoningTokens, finishReason: turn.toolCalls.length > 0 ? "tool_calls" : "stop" };
}

/** A recorded answer: what it shows spread evenly over as many tokens as it took, at least one for each part. */
function planRecorded(turn: PlayedTurn, recorded: { outputTokens: number; reasoningTokens: number }): OutputPlan {
  const { outputTokens, reasoningTokens } = recorded;
  const hasText = turn.text !== "" || turn.toolCalls.length === 0;
  const shown: { part: OutputPart; letters: string[] }[] = [
    ...(hasText ? [{ part: { kind: "text" } as const, letters: [...turn.text] }] : []),
    ...turn.toolCalls.map(({ name, argumentsJson }) => ({
      part: { kind: "call", name } as const,
      letters: [...argumentsJson],
    })),
  ];
  const parts: OutputPart[] = [
    ...(reasoningTokens > 0 ? [{ kind: "reasoning" } as const] : []),
    ...shown.map(({ part }) => part),
  ];
  const first = parts.length - shown.length;
  const tokens = Array.from({ length: reasoningTokens }, (): OutputToken => ({ part: 0, text: "" }));
  let tokensLeft = Math.max(outputTokens - reasoningTokens, shown.length);
  let lettersLeft = shown.reduce((sum, { letters }) => sum + letters.length, 0);
  for (const [index, { letters }] of shown.entries()) {
    const after = shown.length - index - 1;
    const even = lettersLeft === 0 ? 0 : Math.round((tokensLeft * letters.length) / lettersLeft);
    const count = after === 0 ? tokensLeft : Math.min(Math.max(even, 1), tokensLeft - after);
    const cut = (at: number): number => Math.floor((letters.length * at) / count);
    for (let at = 0; at < count; at++) {
      tokens.push({ part: first + index, text: letters.slice(cut(at), cut(at + 1)).join("") });
    }
    tokensLeft -= count;
    lettersLeft -= letters.length;
  }
  const finishReason = turn.toolCalls.length > 0 ? "tool_calls" : "stop";
  return { parts, tokens, ids: [], reasoningTokens, finishReason };
}
