/**
 * The WEKA agent traces (callanjfox/kv-cache-tester) as one JSON object a line: session, sub-agent ("" is the main line),
 * index, start, model, tokens, API and think time, stop reason, and run-length block hashes of 64 tokens that are local to
 * the session. Times are seconds from the start of the session, or of the sub-agent.
 */
import { parseFields, show, type TraceFields } from "./trace-fields.ts";
import { readTraceLines, refuseLine, type TraceBytes } from "./trace-lines.ts";

export const WEKA_BLOCK_TOKENS = 64;
const SECOND_NS = 1_000_000_000;
const MOST_BLOCKS = 1_000_000;

export type WekaRequest = {
  session: string;
  /** "" is the session's main line. */
  agent: string;
  startNs: number;
  promptTokens: number;
  outputTokens: number;
  /** How long the answer took, where it is known. */
  serviceNs: number | null;
  /** How long after the answer before it this request came, where it is known. */
  thinkNs: number | null;
  stopReason: string;
  /** Runs of consecutive hashes: the first of each and how many. */
  hashRuns: readonly HashRun[];
};
export type HashRun = { first: number; blocks: number };

export async function* readWeka(bytes: TraceBytes): AsyncGenerator<WekaRequest> {
  for await (const line of readTraceLines(bytes)) {
    const fields = parseFields(line);
    yield {
      session: fields.text("s"),
      agent: fields.text("a"),
      startNs: fields.instantNs("t", SECOND_NS),
      promptTokens: fields.integer("in", 0),
      outputTokens: fields.integer("out", 0),
      serviceNs: fields.optionalNs("api", SECOND_NS),
      thinkNs: fields.optionalNs("think", SECOND_NS),
      stopReason: fields.text("stop"),
      hashRuns: readRuns(fields),
    };
  }
}

function readRuns(fields: TraceFields): HashRun[] {
  let total = 0;
  return fields.list("h").map((run, at) => {
    const field = `h[${at}]`;
    const [first, blocks]: unknown[] = Array.isArray(run) && run.length === 2 ? run : [];
    if (!isCount(first) || !isCount(blocks) || blocks === 0) {
      throw refuseLine(fields.line, field, `must be [first hash, count], whole numbers, not ${show(run)}`);
    }
    total += blocks;
    if (total > MOST_BLOCKS) throw refuseLine(fields.line, field, `makes more than ${MOST_BLOCKS} blocks`);
    return { first, blocks };
  });
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Every `step`-th hash of a request, beginning with the `step`-th: one for each full group of so many. */
export function expandRuns(runs: readonly HashRun[], step = 1): number[] {
  const hashes: number[] = [];
  let next = step - 1;
  for (const { first, blocks } of runs) {
    for (; next < blocks; next += step) hashes.push(first + next);
    next -= blocks;
  }
  return hashes;
}
