import type { CallRow } from "@centspan/model";
import { beforeAll, expect, inject, it } from "vitest";
import { listAll } from "../stack/api.ts";
import { runProcess } from "../stack/processes.ts";

const simulate = (...args: string[]) =>
  runProcess(["apps/cli/dist/main.js", "simulate", "--calls", "--data", inject("dataDir"), ...args]);

/** What `--json` printed, without the progress before it. */
async function simulateJson(...args: string[]) {
  const { code, output } = await simulate("--json", ...args);
  expect(output).toContain("\n{\n");
  expect(code).toBe(0);
  return JSON.parse(output.slice(output.indexOf("\n{\n")));
}

const sum = (calls: readonly CallRow[], count: (buckets: CallRow["buckets"]) => number): number =>
  calls.reduce((all, { buckets }) => all + count(buckets), 0);

let calls: CallRow[] = [];
beforeAll(async () => {
  calls = await listAll<CallRow>("/calls", 1000);
});

it("simulates every call of the workspace with its own tokens, and says what is estimated", async () => {
  const { result, workload } = await simulateJson();
  expect(calls.length).toBeGreaterThan(0);
  expect(result).toMatchObject({
    requests: calls.length,
    promptTokens: sum(calls, (tokens) => tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h),
    outputTokens: sum(calls, (tokens) => tokens.outputText + tokens.outputReasoning),
  });
  expect(workload).toMatchObject({
    source: "calls",
    tokens: "simulated",
    blocks: "estimated",
    calls: {
      used: calls.length,
      leftOut: { aggregates: 0, withoutUsage: 0, quarantined: 0 },
      cacheReadTokens: sum(calls, ({ cacheRead }) => cacheRead),
    },
  });
  expect(workload.calls.explainedTokens).toBeGreaterThan(0);
  expect(result.hitRate).toBeGreaterThan(0);
  const { output } = await simulate();
  expect(output).toMatch(/Workload: .* recorded calls; arrivals and tokens are simulated, shared blocks estimated/);
});

it("takes the calls of a key and of a period", async () => {
  const [newest] = calls;
  const key = newest?.key ?? "";
  const ofKey = await simulateJson("--key", key);
  expect(ofKey.result.requests).toBe(calls.filter((call) => call.key === key).length);
  const middle = calls[Math.floor(calls.length / 2)]?.at ?? "";
  const before = await simulateJson("--to", middle);
  const after = await simulateJson("--from", middle);
  expect(before.result.requests).toBe(calls.filter(({ at }) => at < middle).length);
  expect(after.result.requests).toBe(calls.length - before.result.requests);
});

it("plays the sessions in a closed loop", async () => {
  const once = await simulateJson("--concurrent", "2");
  expect(once.result.requests).toBe(calls.length);
  expect(await simulateJson("--concurrent", "2")).toEqual(once);
});

it.each([
  ["a time that is none", ["--from", "yesterday"], /from.*ISO 8601/],
  ["a workspace that is none", ["--workspace", "nowhere"], /--workspace: no "nowhere"/],
  ["a period without calls", ["--to", "1999-01-01"], /nothing to simulate in workspace default/],
])("refuses %s", async (_what, args, message) => {
  const { code, output } = await simulate(...args);
  expect(code).toBe(1);
  expect(output).toMatch(message);
});
