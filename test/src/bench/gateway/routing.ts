/**
 * `bench routing`: conversations that share a system prompt, through the gateway to four engines, against one engine as large
 * as all four. Then with one of the four on a slower generation: how far its share falls.
 */
import { Pool } from "undici";
import { findFreePorts, type Running, startProcess } from "../../stack/processes.ts";
import { defineBench, readNumber, round } from "../bench.ts";
import { startGatewayStack } from "./gateway-stack.ts";

const REPLICAS = 4;
/** Slow enough that the engines' time is what counts: at a tenth, one that is a fifth slower drowned in this machine's own. */
const TIME_SCALE = 0.5;
const KV_BLOCKS = 1024;
const READY = /^\{"ready":true.*$/m;
const SLOWER = 0.8;

export default defineBench({
  name: "routing",
  describe: "hit rate and load of four engines behind the gateway, against one as large as all",
  flags: { conversations: "conversations at once (24)", turns: "turns of each (8)" },
  async run(flags, say) {
    const conversations = readNumber("conversations", flags.conversations, 24);
    const turns = readNumber("turns", flags.turns, 8);
    say("one engine as large as four");
    const load = { conversations, turns, goOn: true };
    const single = await play([{ blocks: KV_BLOCKS * REPLICAS, speed: 1 }], load);
    say("four engines");
    const four = await play(Array(REPLICAS).fill({ blocks: KV_BLOCKS, speed: 1 }), load);
    say("four engines, one of them slower");
    // Conversations stay where they began: whether a slower one is asked less shows in those that begin.
    const uneven = await play(
      Array.from({ length: REPLICAS }, (_, at) => ({ blocks: KV_BLOCKS, speed: at === 0 ? SLOWER : 1 })),
      { conversations, turns: turns * 2, goOn: false },
    );
    const even = sum(uneven.requests) / REPLICAS;
    return {
      hitVsSingle: round(four.hitRate / single.hitRate, 3),
      skew: round((Math.max(...four.requests) * REPLICAS) / sum(four.requests), 3),
      slowShareOfEven: round((uneven.requests[0] ?? 0) / even, 3),
      hitRate: round(four.hitRate, 4),
      singleHitRate: round(single.hitRate, 4),
      requests: four.requests,
      requestsUneven: uneven.requests,
    };
  },
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type EngineSpec = { blocks: number; speed: number };

type Load = { conversations: number; turns: number; goOn: boolean };

async function play(specs: readonly EngineSpec[], { conversations, turns, goOn }: Load) {
  const engines: Running[] = [];
  const urls: string[] = [];
  for (const [at, { blocks, speed }] of specs.entries()) {
    const engine = startProcess(["apps/engine/dist/main.js"], {
      CENTSPAN_PORT: String(await findFreePorts(1)),
      CENTSPAN_REPLICA_ID: `engine-${at}`,
      CENTSPAN_KV_BLOCKS: String(blocks),
      CENTSPAN_TIME_SCALE: String(TIME_SCALE),
      CENTSPAN_REPLICA_SPEEDS: String(speed),
      // Its spans are nobody's here.
      CENTSPAN_OTLP_URL: "http://127.0.0.1:9",
    });
    engines.push(engine);
    const [line = ""] = await engine.waitFor(READY, 60_000);
    urls.push(JSON.parse(line).url);
  }
  const stack = await startGatewayStack({
    upstreams: [{ name: "engines", provider: "centspan", replicas: urls.map((url) => ({ url })) }],
  });
  const gateway = await stack.startGateway();
  const pool = new Pool(gateway.url, { connections: conversations });
  try {
    let prompt = 0;
    let cached = 0;
    const talk = async (name: number): Promise<void> => {
      const begin = (turn: number): object[] => [
        { role: "user", content: `Conversation ${name}.${turn}. ${"It begins with this. ".repeat(60)}` },
      ];
      let items = begin(0);
      for (let turn = 0; turn < turns; turn++) {
        const { statusCode, body } = await pool.request({
          method: "POST",
          path: "/v1/responses",
          headers: { "content-type": "application/json", authorization: `Bearer ${stack.key}` },
          body: JSON.stringify({ model: "scripted-strong", instructions: SYSTEM, input: items }),
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`the gateway answered ${statusCode}: ${text}`);
        const answer = JSON.parse(text);
        prompt += answer.usage.input_tokens;
        cached += answer.usage.input_tokens_details.cached_tokens;
        if (!goOn) {
          items = begin(turn + 1);
          continue;
        }
        items.push(...answer.output.filter((item: { type: string }) => item.type === "message"));
        items.push({ role: "user", content: `Turn ${turn} of ${name}: ${"and it goes on. ".repeat(40)}` });
      }
    };
    await Promise.all(Array.from({ length: conversations }, (_, name) => talk(name)));
    const requests = await Promise.all(urls.map(readRequests));
    return { hitRate: cached / prompt, requests };
  } finally {
    await pool.destroy();
    await stack.end();
    for (const engine of engines) engine.child.kill("SIGTERM");
    await Promise.all(engines.map(({ exited }) => exited));
  }
}

const SYSTEM = "You answer briefly and say what you are sure of. ".repeat(120);

/** What an engine has answered so far. */
async function readRequests(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/settings`);
  const { replicas }: { replicas: { finished: number }[] } = JSON.parse(await response.text());
  return sum(replicas.map(({ finished }) => finished));
}
