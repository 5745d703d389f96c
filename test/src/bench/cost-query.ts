/**
 * `bench cost-query`: how long what a spend page asks takes over HTTP, of the 30 days before now with many calls. Neither
 * end of such a page is a whole day, so the first and the last are always read from the calls.
 */
import { createWallClock, formatInstant } from "@centspan/base";
import { openWarehouse } from "@centspan/warehouse";
import { type ApiReader, createApiReader } from "../stack/api-reader.ts";
import { startIngestStack } from "../stack/ingest-stack.ts";
import { awaitMerges } from "./await-merges.ts";
import { defineBench, quantile, readNumber, round } from "./bench.ts";
import { fillCalls, RATED } from "./fill-calls.ts";

const DAYS = 30;
const DAY_NS = 86_400_000_000_000n;

const GROUPS = ["day", "team", "key", "model", "provider", "taskType", "repository", "meter"];

export default defineBench({
  name: "cost-query",
  describe: "milliseconds until the questions of a spend page are answered",
  flags: { calls: "calls of the 30 days (10000000)", rounds: "how often each question is asked (20)" },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 10_000_000);
    const rounds = readNumber("rounds", flags.rounds, 20);
    const stack = await startIngestStack();
    const warehouse = openWarehouse({ url: stack.clickhouseUrl });
    try {
      const nowNs = createWallClock().nowNs();
      const fromNs = nowNs - BigInt(DAYS) * DAY_NS;
      await fillCalls(stack, { calls, fromNs, days: DAYS, values: RATED }, say);
      await awaitMerges(stack);
      say("summing up days");
      const startedAtMs = performance.now();
      const days = await warehouse.refreshDailyCosts(nowNs, async () => "UTC");
      const refreshS = round((performance.now() - startedAtMs) / 1000);
      await stack.web.start();
      const api = createApiReader(stack.webUrl, await stack.createKey("reader", "api"));
      await check(api, formatInstant(fromNs), calls);
      say("asking");
      const times = await ask(api, formatInstant(fromNs), rounds);
      const p95Ms = quantile([...times.values()].flat(), 0.95);
      const byQuestion = Object.fromEntries([...times].map(([name, own]) => [name, quantile(own, 0.95)]));
      return { p95Ms, byQuestion, calls, days, refreshS };
    } finally {
      await warehouse.close();
      await stack.end();
    }
  },
});

/** That the page shows all calls, so that nothing is fast by being left out. */
async function check(api: ApiReader, from: string, calls: number): Promise<void> {
  for (const groupBy of ["day", "key"]) {
    const { data } = await api.getOk<{ data: { calls: number }[] }>(`/cost?groupBy=${groupBy}&from=${from}`);
    const counted = data.reduce((sum, row) => sum + row.calls, 0);
    if (counted !== calls) throw new Error(`${counted} calls of ${calls} by ${groupBy}`);
  }
}

/** Each question by itself, in turn: what each took, in milliseconds. */
async function ask(api: ApiReader, from: string, rounds: number): Promise<Map<string, number[]>> {
  const to = formatInstant(createWallClock().nowNs());
  const questions = [
    ...GROUPS.map((groupBy) => [groupBy, `/cost?groupBy=${groupBy}&from=${from}`] as const),
    ["team of a model", `/cost?groupBy=team&model=gpt-6.1-sol&from=${from}`],
    ["forecast", "/cost/forecast"],
    ["anomalies", "/cost/anomalies"],
    ["change", `/cost/change?from=${from}&to=${to}`],
  ] as const;
  const times = new Map<string, number[]>(questions.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, path] of questions) {
      const startedAtMs = performance.now();
      await api.getOk(path);
      times.get(name)?.push(performance.now() - startedAtMs);
    }
  }
  return times;
}
