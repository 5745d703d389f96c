/**
 * Mooncake's trace format (kvcache-ai/Mooncake, FAST25-release): one JSON object a line with timestamp (ms),
 * input_length, output_length and hash_ids, a chained hash per 512 tokens, the last block partial.
 */
import type { KvBlockId } from "@centspan/model";
import { parseFields, show, type TraceFields } from "./trace-fields.ts";
import { readTraceLines, refuseLine, type TraceBytes } from "./trace-lines.ts";
import type { TraceRequest } from "./trace-request.ts";

export const MOONCAKE_BLOCK_TOKENS = 512;
const MS_NS = 1_000_000;

/** Hash ids of one file are all numbers or all strings. */
export async function* readMooncake(bytes: TraceBytes): AsyncGenerator<TraceRequest> {
  const kind: HashKind = { type: null };
  for await (const line of readTraceLines(bytes)) {
    const fields = parseFields(line);
    const promptTokens = fields.integer("input_length", 1);
    const blockKeys = readHashes(fields, kind);
    const blocks = Math.ceil(promptTokens / MOONCAKE_BLOCK_TOKENS);
    if (blockKeys.length > blocks) {
      throw refuseLine(
        fields.line,
        "hash_ids",
        `has ${blockKeys.length} blocks; ${promptTokens} tokens fill ${blocks}`,
      );
    }
    yield {
      arrivalNs: fields.instantNs("timestamp", MS_NS),
      promptTokens,
      outputTokens: fields.integer("output_length", 0),
      blockKeys,
    };
  }
}

type HashKind = { type: "number" | "string" | null };

function readHashes(fields: TraceFields, kind: HashKind): KvBlockId[] {
  return fields.list("hash_ids").map((id, at) => {
    const field = `hash_ids[${at}]`;
    if (typeof id === "string") kind.type ??= "string";
    else if (typeof id === "number" && Number.isSafeInteger(id) && id >= 0) kind.type ??= "number";
    else throw refuseLine(fields.line, field, `must be a whole number of at least 0 or a string, not ${show(id)}`);
    if (typeof id !== kind.type)
      throw refuseLine(fields.line, field, `is a ${typeof id}; those before are ${kind.type}s`);
    return id;
  });
}
