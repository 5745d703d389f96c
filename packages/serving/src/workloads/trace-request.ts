/** A request as recorded traces know it. Instants are nanoseconds since the start of the trace. */
import type { KvBlockId } from "@centspan/model";

export type TraceRequest = {
  arrivalNs: number;
  promptTokens: number;
  outputTokens: number;
  /**
   * Chained hashes of the prompt's blocks, first block first; where the format hashes a last block that is not full, it
   * is there too. Empty where the format has no hashes.
   */
  blockKeys: readonly KvBlockId[];
};

/** The keys of the full blocks alone: what an engine with blocks of that size can share. */
export const fullBlockKeys = (request: TraceRequest, blockTokens: number): readonly KvBlockId[] =>
  request.blockKeys.slice(0, Math.floor(request.promptTokens / blockTokens));
