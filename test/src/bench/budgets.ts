/**
 * `bench budgets`: gateways that share one nearly spent budget, with many callers at once at each of them, who ask until they
 * are told that it is spent. How much of what was left is used, whether more is, and what a budget adds to a call while a slice
 * suffices, against calls that count in none, in turn.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { countToDecimal, createRandom, type Decimal, formatDecimal, parseDecimal, ratio, ZERO } from "@centspan/base";
import { Pool } from "undici";
import { runProcess } from "../stack/processes.ts";
import { defineBench, readNumber, round } from "./bench.ts";
import { startGatewayStack } from "./gateway/gateway-stack.ts";

const GATEWAYS = 4;
const [NEAR, WIDE] = ["near", "wide"];
const MODEL = "scripted-strong";
/** Of the model's rate card, for one token. */
const PRICE = { input: parseDecimal("0.000003"), output: parseDecimal("0.000015") };
/** What a call may answer, and what it does. */
const TOKENS = { most: 100, answered: 50 };
const UPSTREAM_MS = 20;
/** Of the budget, before it is nearly spent. */
const SPENT_CALLS = 20;

export default defineBench({
  name: "budgets",
  describe: "gateways that share one nearly spent budget: what is used of it, and what it adds to a call",
  flags: {
    callers: "at once, at each of the gateways (250)",
    calls: "that are left in the budget (1000)",
    pairs: "calls with and without a budget to compare (200)",
  },
  async run(flags, say) {
    const callers = readNumber("callers", flags.callers, 250);
    const calls = readNumber("calls", flags.calls, 1000);
    const pairs = readNumber("pairs", flags.pairs, 200);
    const upstream = await startUpstream();
    const stack = await startGatewayStack({
      upstreams: [
        { name: "peer", provider: "centspan", protocols: ["openai-chat"], replicas: [{ url: upstream.url }] },
      ],
    });
    const pools: Pool[] = [];
    try {
      const budgets = async (...args: string[]): Promise<void> => {
        const { code, output } = await runProcess(["apps/cli/dist/main.js", "budgets", ...args], stack.stores);
        if (code !== 0) throw new Error(output);
      };
      for (const run of [NEAR, WIDE]) await budgets("create", run, "--run", run, "--limit", "1000", "--per", "life");
      for (let at = 0; at < GATEWAYS; at++) {
        const { url } = await stack.startGateway();
        pools.push(new Pool(url, { connections: callers }));
      }
      const [first] = pools;
      if (first === undefined) throw new Error("no gateway");
      const ask = createCaller(stack.key);
      say("what a budget adds");
      const addedMs = await compare(
        () => ask(first, WIDE),
        () => ask(first),
        pairs,
      );
      let before = ZERO;
      for (let call = 0; call < SPENT_CALLS; call++) before = before.plus((await ask(first, NEAR)).costUsd);
      const headroom = before.times(countToDecimal(calls)).div(countToDecimal(SPENT_CALLS));
      await budgets("set", NEAR, "--limit", formatDecimal(before.plus(headroom)));
      say(`${GATEWAYS} gateways, ${callers} callers at each, ${formatDecimal(headroom)} USD`);
      const startMs = performance.now();
      const spent = await Promise.all(
        pools.flatMap((pool) => Array.from({ length: callers }, () => askUntilSpent(() => ask(pool, NEAR)))),
      );
      const used = spent.reduce((total, one) => total.plus(one.costUsd), ZERO);
      const overspend = used.minus(headroom);
      return {
        overspendUsd: formatDecimal(overspend.gt(ZERO) ? overspend : ZERO),
        headroomUsed: Number(ratio(used, headroom)?.toFixed(4) ?? Number.NaN),
        reserveAddedP50Ms: round(addedMs, 3),
        calls: spent.reduce((total, one) => total + one.calls, 0),
        waits: spent.reduce((total, one) => total + one.waits, 0),
        refused: spent.length,
        seconds: round((performance.now() - startMs) / 1000),
      };
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await stack.end();
      upstream.end();
    }
  },
});

type Asked = { status: number; waitMs: number; costUsd: Decimal };

function createCaller(key: string) {
  const body = JSON.stringify({
    model: MODEL,
    max_tokens: TOKENS.most,
    messages: [{ role: "user", content: "Say something that takes a while." }],
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return async (pool: Pool, run?: string): Promise<Asked> => {
    const answer = await pool.request({
      method: "POST",
      path: "/v1/chat/completions",
      headers: run === undefined ? headers : { ...headers, "x-centspan-run": run },
      body,
    });
    const text = await answer.body.text();
    const waitMs = Number(answer.headers["retry-after"] ?? 0) * 1000;
    if (answer.statusCode !== 200) return { status: answer.statusCode, waitMs, costUsd: ZERO };
    const { usage }: { usage: { prompt_tokens: number; completion_tokens: number } } = JSON.parse(text);
    const read = PRICE.input.times(countToDecimal(usage.prompt_tokens));
    return { status: 200, waitMs, costUsd: read.plus(PRICE.output.times(countToDecimal(usage.completion_tokens))) };
  };
}

const random = createRandom(1);

/** As clients do: again when they are told to wait, not all at the same moment, and no more after a 402. */
async function askUntilSpent(ask: () => Promise<Asked>) {
  const total = { costUsd: ZERO, calls: 0, waits: 0 };
  for (;;) {
    const { status, waitMs, costUsd } = await ask();
    if (status === 402) return total;
    if (status === 200) {
      total.costUsd = total.costUsd.plus(costUsd);
      total.calls += 1;
    } else if (status === 429) {
      total.waits += 1;
      await sleep(waitMs * (0.5 + random.next()));
    } else throw new Error(`a gateway answered ${status}`);
  }
}

/** Median of the one less the median of the other, in milliseconds. */
async function compare(one: () => Promise<unknown>, other: () => Promise<unknown>, pairs: number): Promise<number> {
  const times: [number[], number[]] = [[], []];
  const measure = async (ask: () => Promise<unknown>, into: number[]): Promise<void> => {
    const startMs = performance.now();
    await ask();
    into.push(performance.now() - startMs);
  };
  for (let at = 0; at < pairs; at++) {
    await measure(one, times[0]);
    await measure(other, times[1]);
  }
  const [a, b] = times.map((list) => list.sort((x, y) => x - y)[Math.floor(list.length / 2)] ?? Number.NaN);
  return (a ?? Number.NaN) - (b ?? Number.NaN);
}

/** A model server that counts as the gateway does, and answers half of what it may. */
async function startUpstream(): Promise<{ url: string; end(): void }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { prompt_token_ids: ids }: { prompt_token_ids: number[] } = JSON.parse(Buffer.concat(parts).toString());
    await new Promise((resolve) => setTimeout(resolve, UPSTREAM_MS));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        ...{ id: "c", object: "chat.completion", model: MODEL },
        choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
        usage: { prompt_tokens: ids.length, completion_tokens: TOKENS.answered },
      }),
    );
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 });
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    end() {
      server.close();
      server.closeAllConnections();
    },
  };
}
