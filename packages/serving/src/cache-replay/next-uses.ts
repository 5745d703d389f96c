/** When each access of a replay finds its block used again: the future that only an offline policy may see. */
import type { KvBlockId } from "@centspan/model";
import type { Prompt } from "./prompt.ts";

const NEVER = Number.POSITIVE_INFINITY;

const countAccesses = (prompts: readonly Prompt[]): number => prompts.reduce((sum, { keys }) => sum + keys.length, 0);

/** For each access in order, the number of the next access to the same block. */
export function readNextAccesses(prompts: readonly Prompt[]): Float64Array {
  return readBackwards(prompts, (access) => access);
}

/** For each access in order, the number of the next request that uses the same block. */
export function readNextRequests(prompts: readonly Prompt[]): Float64Array {
  return readBackwards(prompts, (_access, request) => request);
}

function readBackwards(prompts: readonly Prompt[], name: (access: number, request: number) => number): Float64Array {
  let access = countAccesses(prompts);
  const nextUses = new Float64Array(access);
  const seen = new Map<KvBlockId, number>();
  for (let request = prompts.length - 1; request >= 0; request -= 1) {
    const keys = prompts[request]?.keys ?? [];
    for (let depth = keys.length - 1; depth >= 0; depth -= 1) {
      access -= 1;
      const key = keys[depth] ?? 0;
      nextUses[access] = seen.get(key) ?? NEVER;
      seen.set(key, name(access, request));
    }
  }
  return nextUses;
}
