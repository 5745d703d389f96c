import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMiniSweAgent, readSwebenchResults, readSwebenchStats, repositoryOf, toRunOutcome } from "./index.ts";

const shared = process.env.CENTSPAN_SHARED;
const options = { name: "stats.json", atNs: 0n, provider: "google", model: "gemini-3-pro-preview", agent: "a" };
const record = {
  instance_id: "o__r-1",
  resolved: true,
  calls: 2,
  prompt_tokens: 10,
  cached_tokens: 4,
  completion_tokens: 3,
};
const readStats = (value: unknown) => readSwebenchStats(JSON.stringify(value, null, 1), options);

describe("SWE-bench statistics", () => {
  it("become one aggregate call and one outcome per instance, with disjoint buckets", () => {
    const { calls, outcomes } = readStats([record]);
    expect(calls[0]).toMatchObject({
      requests: 2,
      repository: "o/r",
      buckets: { input: 6, cacheRead: 4, outputText: 3 },
    });
    expect(outcomes[0]).toMatchObject({ status: "passed", subject: { task: "o__r-1" } });
  });

  it.each([
    [
      "cached more than prompt",
      [record, { ...record, instance_id: "b", cached_tokens: 11 }],
      /stats\.json:15:\d+: \[1\]\.cached_tokens/,
    ],
    ["a field of another type", [{ ...record, calls: "2" }], /stats\.json:5:\d+: \[0\]\.calls/],
    ["a missing field", [{ ...record, resolved: undefined }], /stats\.json:2:\d+: \[0\]\.resolved/],
    ["an instance twice", [record, record], /stats\.json:10:\d+: \[1\]\.instance_id "o__r-1" is there twice/],
    ["tokens without calls", [{ ...record, calls: 0 }], /\[0\]\.calls is 0/],
    ["no record", [], /holds no record/],
  ])("refuse %s, naming line and field", (_what, value, message) => {
    expect(() => readStats(value)).toThrow(message);
  });

  it("name the line of broken JSON", () => {
    expect(() => readSwebenchStats('[\n {"a": 1},\n {"b" 2}\n]', options)).toThrow(
      /stats\.json:3:\d+: is not valid JSON/,
    );
  });
});

const trajectory = (...responses: string[]) => ({
  trajectory_format: "mini-swe-agent-1",
  instance_id: "o__r-1",
  info: {},
  messages: responses.flatMap((id, index) => [
    {
      role: "assistant",
      content: "ls",
      extra: {
        response: {
          id,
          model: "m",
          created: 1_764_000_000 + index,
          choices: [{ finish_reason: "stop" }],
          usage: { prompt_tokens: 10, completion_tokens: 2 },
        },
      },
    },
    { role: "user", content: "<returncode>0</returncode>" },
  ]),
});

describe("a trajectory", () => {
  const read = (...responses: string[]) => readMiniSweAgent("t.json", JSON.stringify(trajectory(...responses)));

  it("is the same run each time it is read, and another attempt at its instance is another run", () => {
    const [run, again, other] = [read("a", "b"), read("a", "b"), read("c", "d")];
    expect(again).toEqual(run);
    const idsOf = ({ runId, spans }: typeof run) => [runId, ...spans.flatMap((span) => [span.traceId, span.spanId])];
    expect(idsOf(other).filter((id) => idsOf(run).includes(id))).toEqual([]);
    expect(toRunOutcome(other, true).outcomeId).not.toBe(toRunOutcome(run, true).outcomeId);
    expect(toRunOutcome(other, true).subject).toEqual({ task: "o__r-1", runId: other.runId });
  });
});

it("reads the repository out of an instance id", () => {
  expect(repositoryOf("scikit-learn__scikit-learn-10297")).toBe("scikit-learn/scikit-learn");
  expect(repositoryOf("anything")).toBe("");
});

describe.skipIf(shared === undefined)("recorded runs (needs CENTSPAN_SHARED)", () => {
  const folder = join(shared ?? "", "data/trajectories/mini-swe-agent-gemini-3-pro");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");

  it("the six trajectories agree with the statistics of the same instances", () => {
    const stats = readSwebenchStats(read("stats_all_500.json"), options);
    const results = readSwebenchResults("results_summary.json", read("results_summary.json"));
    expect(results.size).toBe(500);
    for (const id of [
      "django__django-10999",
      "django__django-11163",
      "django__django-16255",
      "django__django-16667",
      "sympy__sympy-20438",
      "sympy__sympy-20590",
    ]) {
      const run = readMiniSweAgent(id, read(`${id}.traj.json`));
      const chats = run.spans.filter((span) => span.name.startsWith("chat "));
      const total = (name: string) => chats.reduce((sum, span) => sum + Number(span.attributes[name]), 0);
      const call = stats.calls.find((candidate) => candidate.task === id);
      expect({
        id,
        calls: chats.length,
        output: total("gen_ai.usage.output_tokens"),
        cached: total("gen_ai.usage.cache_read.input_tokens"),
      }).toEqual({
        id,
        calls: call?.requests,
        output: call?.buckets.outputText,
        cached: call?.buckets.cacheRead,
      });
      const ids = new Set(run.spans.map((span) => span.spanId));
      expect(ids.size).toBe(run.spans.length);
      expect(run.spans.filter((span) => span.parentSpanId !== "" && !ids.has(span.parentSpanId))).toEqual([]);
      expect(stats.outcomes.find((outcome) => outcome.subject.task === id)?.status === "passed").toBe(results.get(id));
    }
  });

  it("refuses a truncated trajectory, naming the line", () => {
    const text = read("django__django-11163.traj.json");
    expect(() => readMiniSweAgent("t.json", text.slice(0, text.length / 2))).toThrow(
      /t\.json:\d+:\d+: is not valid JSON/,
    );
  });
});
if (shared === undefined) console.log("left out without CENTSPAN_SHARED: recorded mini-swe-agent runs");
