/** What of a prompt is how large, by the tokens of its pieces: what it begins with, its tools, and outputs that nobody cut. */
import type { Conversation } from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry";

/** Of each piece, where its tokens end. Pieces are the instructions if there are any, each tool, then each item. */
type Sizes = { ids: ArrayLike<number>; pieceEnds: readonly number[] };

export function measurePrompt(conversation: Conversation, { ids, pieceEnds }: Sizes) {
  const before = countBefore(conversation);
  const { items } = conversation;
  const first = items.findIndex(
    (item) => item.type !== "message" || (item.role !== "system" && item.role !== "developer"),
  );
  const pieces = before + (first < 0 ? items.length : first);
  const itemTokens = items.map((_item, index) => sizeOf(pieceEnds, before + index));
  return { tokens: ids.length, headTokens: pieceEnds[pieces - 1] ?? 0, itemTokens };
}

const countBefore = ({ instructions, tools }: Conversation): number => (instructions === "" ? 0 : 1) + tools.length;

/** `areNews`: they were not told for this conversation yet. */
export function describeTools(conversation: Conversation, { pieceEnds }: Sizes, areNews: boolean): SpanAttributes {
  const { instructions, tools, items } = conversation;
  const first = instructions === "" ? 0 : 1;
  const used = new Set(items.flatMap((item) => (item.type === "tool_call" ? [item.name] : [])));
  return {
    ...(used.size > 0 && { "centspan.tools.used": [...used] }),
    ...(areNews &&
      tools.length > 0 && {
        "centspan.tools.offered": tools.map(({ name }) => name),
        "centspan.tools.offered_tokens": tools.map((_tool, index) => sizeOf(pieceEnds, first + index)),
      }),
  };
}

const sizeOf = (pieceEnds: readonly number[], piece: number): number =>
  (pieceEnds[piece] ?? 0) - (pieceEnds[piece - 1] ?? 0);

/** Where outputs are cut by default: 10,000 tokens of four bytes. */
const MOST_BYTES = 40_000;

/** Undefined where there are none. */
export function countOversized(conversation: Conversation, { pieceEnds }: Sizes): number | undefined {
  const before = countBefore(conversation);
  let tokens = 0;
  for (const [index, item] of conversation.items.entries()) {
    // A character takes up to three bytes of UTF-8.
    if (item.type !== "tool_result" || item.output.length * 3 <= MOST_BYTES) continue;
    const bytes = Buffer.byteLength(item.output);
    if (bytes > MOST_BYTES) tokens += Math.round(sizeOf(pieceEnds, before + index) * (1 - MOST_BYTES / bytes));
  }
  return tokens === 0 ? undefined : tokens;
}
