/**
 * Statistics of a SWE-bench run, one record per instance: aggregates, not single requests.
 * Each becomes one call that stands for `calls` requests and one outcome. Deduplicated by instance id.
 */
import { deriveId } from "@centspan/base";
import { type Call, EMPTY_BUCKETS, EMPTY_CALL, type Outcome } from "@centspan/model";
import { z } from "zod";
import { fileError, offsetOfElement, readJson } from "./read-json.ts";

const count = z.int().nonnegative();
const recordSchema = z
  .object({
    instance_id: z.string().min(1),
    resolved: z.boolean(),
    calls: count,
    prompt_tokens: count,
    cached_tokens: count,
    completion_tokens: count,
    exit_status: z.string().optional(),
  })
  .refine((record) => record.cached_tokens <= record.prompt_tokens, {
    path: ["cached_tokens"],
    message: "is more than prompt_tokens, of which it is a part",
  })
  .refine((record) => record.calls > 0 || record.prompt_tokens + record.completion_tokens === 0, {
    path: ["calls"],
    message: "is 0 although tokens were used",
  });

type SwebenchStatsOptions = {
  /** File name for messages. */
  name: string;
  /** When the run took place, as far as anybody knows: the statistics don't say. */
  atNs: bigint;
  provider: string;
  model: string;
  agent: string;
};

export function readSwebenchStats(text: string, options: SwebenchStatsOptions): { calls: Call[]; outcomes: Outcome[] } {
  const records = readJson(options.name, text, z.array(recordSchema).min(1, "holds no record"));
  const seen = new Set<string>();
  for (const [index, { instance_id }] of records.entries()) {
    if (seen.has(instance_id)) {
      const what = `[${index}].instance_id ${JSON.stringify(instance_id)} is there twice`;
      throw fileError(options.name, text, offsetOfElement(text, index), what);
    }
    seen.add(instance_id);
  }
  return {
    calls: records.filter((record) => record.calls > 0).map((record) => toCall(record, options)),
    outcomes: records.map((record) => toOutcome(record, options)),
  };
}

type StatsRecord = z.output<typeof recordSchema>;

function toCall(record: StatsRecord, options: SwebenchStatsOptions): Call {
  const { provider, model, agent, atNs } = options;
  return {
    ...EMPTY_CALL,
    key: agent,
    keyId: agent,
    team: agent,
    task: record.instance_id,
    taskType: "swe-bench",
    repository: repositoryOf(record.instance_id),
    callId: deriveId("call", "swebench-stats", provider, model, agent, record.instance_id),
    atNs,
    provider,
    model,
    source: "import",
    dialect: "swebench-stats",
    requests: record.calls,
    buckets: {
      ...EMPTY_BUCKETS,
      input: record.prompt_tokens - record.cached_tokens,
      cacheRead: record.cached_tokens,
      outputText: record.completion_tokens,
    },
  };
}

function toOutcome(record: StatsRecord, { model, agent, atNs }: SwebenchStatsOptions): Outcome {
  return {
    outcomeId: deriveId("outcome", "swebench-stats", model, agent, record.instance_id),
    subject: { task: record.instance_id },
    kind: "tests",
    status: record.resolved ? "passed" : "failed",
    weight: 1,
    source: "swebench",
    evidence: {
      resolved: record.resolved,
      ...(record.exit_status === undefined ? {} : { exitStatus: record.exit_status }),
    },
    atNs,
  };
}

/** SWE-bench names an instance `owner__repository-number`. */
export function repositoryOf(instanceId: string): string {
  const match = /^(.+?)__(.+)-\d+$/.exec(instanceId);
  return match ? `${match[1]}/${match[2]}` : "";
}
