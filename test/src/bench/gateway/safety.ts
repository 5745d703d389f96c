/** `bench safety`: what a check of 150 ms adds to the time to the first token of a model that takes 400. */
import { createServer } from "node:http";
import { Pool } from "undici";
import { defineBench, readNumber, round } from "../bench.ts";
import { startGatewayStack, startPeer } from "./gateway-stack.ts";

const CHECK_MS = 150;

export default defineBench({
  name: "safety",
  describe: "what a safety check beside inference adds to the time to the first token",
  flags: { calls: "calls with the check, and without (40)" },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 40);
    const classifier = await startClassifier();
    const peer = await startPeer();
    const stack = await startGatewayStack({
      upstreams: [{ name: "peer", provider: "peer", protocols: ["openai-chat"], replicas: [{ url: peer.url }] }],
    });
    try {
      const plain = await stack.startGateway();
      const checked = await stack.startGateway({ CENTSPAN_SAFETY_CLASSIFIER_URL: classifier.url });
      const pools = { plain: new Pool(plain.url), checked: new Pool(checked.url) };
      const times: Record<keyof typeof pools, number[]> = { plain: [], checked: [] };
      for (let at = -2; at < calls; at++) {
        for (const name of ["plain", "checked"] as const) {
          const ms = await measureFirstByte(pools[name], stack.key, `text ${at} that no check has read`);
          // The first two make connections.
          if (at >= 0) times[name].push(ms);
        }
      }
      say(`${classifier.asked()} texts were checked`);
      await Promise.all([pools.plain.destroy(), pools.checked.destroy()]);
      const [plainMs, checkedMs] = [median(times.plain), median(times.checked)];
      return {
        addedTtftMs: round(checkedMs - plainMs),
        ttftMs: round(plainMs),
        ttftCheckedMs: round(checkedMs),
        checkMs: CHECK_MS,
        checks: classifier.asked(),
      };
    } finally {
      await stack.end();
      await peer.end();
      classifier.end();
    }
  },
});

async function measureFirstByte(pool: Pool, key: string, content: string): Promise<number> {
  const startMs = performance.now();
  const { statusCode, body } = await pool.request({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "slow", stream: true, messages: [{ role: "user", content }] }),
  });
  let firstMs = 0;
  for await (const _piece of body) firstMs ||= performance.now() - startMs;
  if (statusCode !== 200) throw new Error(`the gateway answered ${statusCode}`);
  return firstMs;
}

/** Lets everything pass, after its time. */
async function startClassifier(): Promise<{ url: string; asked(): number; end(): void }> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end('{"allowed":true}'), CHECK_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    asked: () => asked,
    end: () => void server.close(),
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
