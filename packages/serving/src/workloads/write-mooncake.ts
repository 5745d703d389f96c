/**
 * A workload to share: Mooncake's trace format, one JSON object a line. Nothing of what was said is in it: blocks are numbered
 * in order of their first use, so that two files can't be joined and no hash can be tried against a guess.
 */
import { CentspanError } from "@centspan/base";
import type { KvBlockId } from "@centspan/model";
import { MOONCAKE_BLOCK_TOKENS } from "./read-mooncake.ts";
import type { TraceRequest } from "./trace-request.ts";

const NS_PER_MS = 1e6;

/**
 * In order of arrival, timestamps from the first. Blocks smaller than the format's are taken together, each group known by its
 * last, which stands for all before it; what fills no group is one of its own, as the format has it.
 */
export function* writeMooncake(
  requests: readonly TraceRequest[],
  { blockTokens }: { blockTokens: number },
): Generator<string> {
  const step = MOONCAKE_BLOCK_TOKENS / blockTokens;
  if (!Number.isInteger(step))
    throw new CentspanError(
      "invalid_request",
      `blocks of ${blockTokens} tokens don't make up ${MOONCAKE_BLOCK_TOKENS}`,
      {
        field: "blockTokens",
      },
    );
  const numbers = new Map<KvBlockId, number>();
  const numberOf = (key: KvBlockId): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
  const sorted = requests.toSorted((a, b) => a.arrivalNs - b.arrivalNs);
  const firstNs = sorted[0]?.arrivalNs ?? 0;
  for (const { arrivalNs, promptTokens, outputTokens, blockKeys } of sorted) {
    const ends = blockKeys.filter((_, at) => (at + 1) % step === 0 || at === blockKeys.length - 1);
    const line = {
      timestamp: Math.round((arrivalNs - firstNs) / NS_PER_MS),
      input_length: promptTokens,
      output_length: outputTokens,
      hash_ids: ends.map(numberOf),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
