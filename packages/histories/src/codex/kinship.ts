/**
 * What a rollout shares with the one that it was forked or called from. Copies are known by what cannot be alike by chance:
 * counts with their running total, the person's message above them, and the ids of the tools in between. When a copy is
 * said to have happened decides nothing. Invariant: once something is a thread's own, so is all that follows.
 */
import type { HistoryMemory } from "@centspan/model";
import { type CodexState, threadOf } from "./state.ts";

const orphansOf = (threadId: string): string => `orphans of ${threadId}`;
const isKnownThread = (memory: HistoryMemory, threadId: string): boolean => memory.has(`thread:${threadId}`);

/** Where what is the parent's is looked for: without its file, in what its other children brought. */
function parentPool(state: CodexState, memory: HistoryMemory): string {
  const { parentThreadId } = threadOf(state);
  return isKnownThread(memory, parentThreadId) ? parentThreadId : orphansOf(parentThreadId);
}

/** Where it is kept for those who come later: children, and a parent whose file is not here yet, or not as far. */
function ownPools(state: CodexState): string[] {
  const { threadId, parentThreadId } = threadOf(state);
  return parentThreadId === "" ? [threadId] : [threadId, orphansOf(parentThreadId)];
}

/** Whether a response is the parent's, or one that a child brought before this file was there. */
export function isParents(state: CodexState, memory: HistoryMemory, mark: string): boolean {
  const { threadId, parentThreadId, isFork } = threadOf(state);
  const hasFrom = (pool: string): boolean =>
    memory.has(`usage:${pool}:${mark}`) &&
    state.toolIds.every((id) => memory.has(`id:${pool}:${id}`)) &&
    (state.lastUserMessage === "" || memory.has(`said:${pool}:${state.lastUserMessage}`));
  if (hasFrom(orphansOf(threadId))) return true;
  if (!state.isInPrefix) return false;
  // Agents that were told the same may well have taken the same: like counts alone prove nothing.
  const isKnown = isKnownThread(memory, parentThreadId);
  state.sharesIds ||= state.toolIds.some((id) => memory.has(`id:${parentPool(state, memory)}:${id}`));
  if ((isKnown || isFork || state.sharesIds) && hasFrom(parentPool(state, memory))) {
    state.copied += 1;
    return true;
  }
  // The first child of a parent that is not here has nothing to compare with: that may be the parent's, and turn up yet.
  state.isInPrefix = !isKnown && state.copied === 0;
  return false;
}

export function noteUsage(state: CodexState, memory: HistoryMemory, mark: string): void {
  for (const pool of ownPools(state)) {
    memory.set(`usage:${pool}:${mark}`, "");
    for (const id of state.toolIds) memory.set(`id:${pool}:${id}`, "");
  }
  state.toolIds = [];
}

/** Whether the parent's person said it. */
export function noteMessage(state: CodexState, memory: HistoryMemory, said: string): boolean {
  const isParents = state.isInPrefix && memory.has(`said:${parentPool(state, memory)}:${said}`);
  for (const pool of ownPools(state)) memory.set(`said:${pool}:${said}`, "");
  state.lastUserMessage = said;
  return isParents;
}
