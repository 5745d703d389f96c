/** Requests of a trace as a serving core takes them: blocks of the engine's size, keys of the full ones only. */
import { CentspanError } from "@centspan/base";
import type { KvBlockId } from "@centspan/model";
import type { ServingRequest } from "../serving-types.ts";
import type { TraceRequest } from "../workloads/trace-request.ts";

export type TraceShape = {
  /** Tokens of the trace's own blocks, a multiple of the engine's. */
  traceBlockTokens: number;
  blockTokens: number;
  arrivalScale: number;
};

/** How many of the engine's blocks make one of the trace's. Throws when that is no whole number. */
export function checkBlocks(traceBlockTokens: number, blockTokens: number): number {
  const parts = traceBlockTokens / blockTokens;
  if (Number.isInteger(parts)) return parts;
  const message = `blocks of ${blockTokens} tokens don't divide the trace's blocks of ${traceBlockTokens}`;
  throw new CentspanError("invalid_request", message, { field: "engine.blockTokens" });
}

/** Requests without output ask for one token: something has to come. */
export function toServingRequests(trace: readonly TraceRequest[], shape: TraceShape): ServingRequest[] {
  const { traceBlockTokens, blockTokens, arrivalScale } = shape;
  const parts = checkBlocks(traceBlockTokens, blockTokens);
  return trace.map(({ arrivalNs, promptTokens, outputTokens, blockKeys }, at) => ({
    id: `r${at}`,
    arrivalNs: Math.round(arrivalNs * arrivalScale),
    promptTokens,
    outputTokens: Math.max(1, outputTokens),
    blockKeys: splitKeys(blockKeys, parts).slice(0, Math.floor(promptTokens / blockTokens)),
  }));
}

/** A block's key as the keys of its parts. */
export function splitKeys(keys: readonly KvBlockId[], parts: number): readonly KvBlockId[] {
  if (parts === 1) return keys;
  const split: KvBlockId[] = [];
  for (const key of keys)
    for (let part = 0; part < parts; part++)
      split.push(typeof key === "number" ? key * parts + part : `${key}.${part}`);
  return split;
}
