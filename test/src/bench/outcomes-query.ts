/**
 * `bench outcomes-query`: how long the pages of outcomes and waste take over HTTP, each with all that it asks, of the 30 days
 * before now with many calls and tasks. Every third task was tried twice; what became of tasks is said in all the ways there are.
 */
import { createWallClock } from "@centspan/base";
import { openWarehouse } from "@centspan/warehouse";
import { createApiReader } from "../stack/api-reader.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { awaitMerges } from "./await-merges.ts";
import { defineBench, quantile, readNumber } from "./bench.ts";
import { fillCalls } from "./fill-calls.ts";
import { CALLS_OF_TASK, fillOutcomes, TASK_CALLS } from "./outcomes-query-fill.ts";

const DAYS = 30;
const DAY_NS = 86_400_000_000_000n;

/** A page, and a word that it can't show without having found the spend. */
const PAGES: readonly (readonly [path: string, shows: string])[] = [
  ["/outcomes", "team-1"],
  ["/outcomes?maturity=7", "team-1"],
  ["/outcomes?groupBy=key", "agent-1"],
  ["/outcomes?groupBy=task", "TICKET-"],
  ["/outcomes?groupBy=pullRequest", "acme/repo-"],
  ["/waste", "/waste/prefix_system"],
  ["/waste?groupBy=key", "agent-1"],
  ["/waste?groupBy=task", "TICKET-"],
  ["/waste/prefix_system", "team-1"],
];

type Times = Record<string, { p50Ms: number; p95Ms: number }>;

export default defineBench({
  name: "outcomes-query",
  describe: "milliseconds until a page of outcomes or waste is there; p95Ms is that of the slowest page",
  flags: {
    calls: `calls of the 30 days, ${CALLS_OF_TASK} to a task (1000000)`,
    rounds: "how often each page is asked for (20)",
  },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 1_000_000);
    const rounds = readNumber("rounds", flags.rounds, 20);
    const stack = await startIngestStack();
    const warehouse = openWarehouse({ url: stack.clickhouseUrl });
    try {
      const nowNs = createWallClock().nowNs();
      const fromNs = nowNs - BigInt(DAYS) * DAY_NS + DAY_NS / 24n;
      await fillCalls(stack, { calls, fromNs, days: DAYS, values: TASK_CALLS }, say);
      await fillOutcomes(stack);
      await awaitMerges(stack);
      say("summing up days");
      await warehouse.refreshDailyCosts(nowNs, async () => "UTC");
      await stack.web.start();
      const tasks = Math.ceil(calls / CALLS_OF_TASK);
      await check(stack, { calls, tasks });
      say("asking");
      const byPage = await ask(stack.webUrl, rounds);
      for (const [page, { p50Ms, p95Ms }] of Object.entries(byPage)) say(`${page}: p50 ${p50Ms} ms, p95 ${p95Ms} ms`);
      return { p95Ms: Math.max(...Object.values(byPage).map(({ p95Ms }) => p95Ms)), calls, tasks, byPage };
    } finally {
      await warehouse.close();
      await stack.end();
    }
  },
});

type Totals = { total: { tasks: number; passed: number; pending: number; spendUsd: string; failedUsd?: string } };

/** That all of it is in what pages show, so that nothing is fast by being left out. */
async function check(stack: IngestStack, expected: { calls: number; tasks: number }): Promise<void> {
  const api = createApiReader(stack.webUrl, await stack.createKey("reader", "api"));
  const [[stored], outcomes, waste] = await Promise.all([
    stack.query<{ calls: number; spent: string }>(
      "SELECT toUInt32(count()) AS calls, toString(sum(cost_usd)) AS spent FROM calls",
    ),
    api.getOk<Totals>("/outcomes/cost?groupBy=team"),
    api.getOk<Totals>("/waste?groupBy=cause"),
  ]);
  const { tasks, passed, pending, spendUsd } = outcomes.total;
  const found = { calls: stored?.calls, tasks, hasVerdicts: passed > pending, spendUsd, wasteOf: waste.total.spendUsd };
  const spent = stored?.spent;
  const wanted = { ...expected, hasVerdicts: true, spendUsd: spent, wasteOf: spent };
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`found ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** Each page by itself, in turn. */
async function ask(webUrl: string, rounds: number): Promise<Times> {
  const times = new Map<string, number[]>(PAGES.map(([path]) => [path, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [path, shows] of PAGES) {
      const startedAtMs = performance.now();
      const response = await fetch(webUrl + path);
      const text = await response.text();
      times.get(path)?.push(performance.now() - startedAtMs);
      if (!response.ok || !text.includes(shows)) throw new Error(`${path}: ${response.status}, without "${shows}"`);
    }
  }
  return Object.fromEntries(
    [...times].map(([path, own]) => [path, { p50Ms: quantile(own, 0.5), p95Ms: quantile(own, 0.95) }]),
  );
}
