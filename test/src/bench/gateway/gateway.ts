/**
 * `bench gateway`: what the gateway adds to a call, measured against going direct to the same upstream in the same run, the
 * two in turn. Everything is on this machine: generator, gateway and upstream share its cores. Spans go to a process that
 * takes and counts them: storing them would take its turns on the same cores, and is what `bench ingest` measures.
 */
import { once } from "node:events";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { until } from "../../stack/processes.ts";
import { defineBench, readNumber, round } from "../bench.ts";
import { readCpuUs, readRssMb } from "../process-cost.ts";
import { type Gateway, startGatewayStack, startPeer } from "./gateway-stack.ts";

const CONNECTIONS = 32;
const CAPACITY_S = 3;
/** Of capacity measured: until the runtime has compiled what every call goes through, it shows the compiler. */
const WARM_UP_S = 10;
const LARGE_BODY_BYTES = 1024 * 1024;
/** What a streamed call costs, in small ones. */
const STREAM_CALLS = 2;
/** Streams a second between which processors fall asleep: waking them is most of what a call takes then, direct ones too. */
const SPARSE_RATE = 100;
const WS_TURNS = 50;

export default defineBench({
  name: "gateway",
  describe: "what the gateway adds to a call, against going direct",
  flags: {
    seconds: "how long to measure small calls (10)",
    streams: "streams to hold open at once (2000)",
    large: "calls of 1 MiB, each way (40)",
  },
  async run(flags, say) {
    const seconds = readNumber("seconds", flags.seconds, 10);
    const streams = readNumber("streams", flags.streams, 2000);
    const large = readNumber("large", flags.large, 40);
    const peer = await startPeer();
    const stack = await startGatewayStack({
      upstreams: [{ name: "peer", provider: "peer", protocols: ["openai-chat"], replicas: [{ url: peer.url }] }],
    });
    const spans = await startPeer();
    const gateway = await stack.startGateway({ CENTSPAN_OTLP_URL: spans.url });
    const ways = {
      direct: createWay(peer.url, {}),
      gateway: createWay(gateway.url, { authorization: `Bearer ${stack.key}` }),
    };
    try {
      const measured = await measure({ gateway, key: stack.key, ways, seconds, streams, large, say });
      return { ...measured, spanBytes: Number(await (await fetch(new URL("/v1/traces", spans.url))).text()) };
    } finally {
      await Promise.all([ways.direct.close(), ways.gateway.close()]);
      await stack.end();
      await Promise.all([peer.end(), spans.end()]);
    }
  },
});

export type Way = {
  /** Milliseconds until the first byte of the answer, and until its last. */
  call(body: string): Promise<{ firstMs: number; lastMs: number }>;
  open(body: string): Promise<() => void>;
  /** Of the upstream itself: how many streams it has open. */
  countOpen(): Promise<number>;
  close(): Promise<void>;
};
type Measurement = {
  gateway: Gateway;
  key: string;
  ways: Record<"direct" | "gateway", Way>;
  seconds: number;
  streams: number;
  large: number;
  say(text: string): void;
};

export function createWay(url: string, headers: Record<string, string>): Way {
  const pool = new Pool(url, { connections: CONNECTIONS * 4, pipelining: 1 });
  const streams = new Pool(url, { pipelining: 1 });
  const ask = (from: Pool, body: string) =>
    from.request({
      method: "POST",
      path: "/v1/chat/completions",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  return {
    async call(body) {
      const startMs = performance.now();
      const { statusCode, body: answer } = await ask(pool, body);
      let firstMs = 0;
      for await (const _piece of answer) firstMs ||= performance.now() - startMs;
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      return { firstMs, lastMs: performance.now() - startMs };
    },
    async open(body) {
      const { body: answer } = await ask(streams, body);
      answer.on("error", () => undefined);
      await once(answer, "data");
      return () => answer.destroy();
    },
    async countOpen() {
      const { body } = await pool.request({ method: "GET", path: "/" });
      return Number(await body.text());
    },
    async close() {
      await Promise.all([pool.destroy(), streams.destroy()]);
    },
  };
}

export const bodyOf = (model: string, content = "Say hello."): string =>
  JSON.stringify({ model, messages: [{ role: "user", content }], stream: model !== "whole" });

async function measure({ gateway, key, ways, seconds, streams, large, say }: Measurement) {
  const small = bodyOf("whole");
  say("warming up");
  await runClosed(ways.gateway, small, Math.min(WARM_UP_S, seconds));
  say("capacity");
  const cpuBeforeUs = readCpuUs(gateway.pid);
  const capacity = await runClosed(ways.gateway, small, CAPACITY_S);
  const cores = (readCpuUs(gateway.pid) - cpuBeforeUs) / 1e6 / CAPACITY_S;
  const rate = capacity / 2;
  say(
    `${Math.round(capacity)} calls/s on ${round(cores)} cores; now ${Math.round(rate)}/s, a second through it and a second direct in turn`,
  );
  // Calls in bursts take other ways through the code than those of a steady number of callers: these are warmed up as well.
  await runOpen(ways, small, rate, Math.min(WARM_UP_S, seconds));
  const calls = await runOpen(ways, small, rate, seconds);
  say("streams");
  const stream = bodyOf("stream");
  const streamS = Math.max(1, seconds / 2);
  await runOpen(ways, stream, rate / STREAM_CALLS, streamS);
  const streamed = await runOpen(ways, stream, rate / STREAM_CALLS, streamS);
  say("streams, few");
  const sparse = await runOpen(ways, stream, Math.min(rate, SPARSE_RATE), streamS);
  say("calls of 1 MiB");
  const largeBody = bodyOf("whole", "word ".repeat(LARGE_BODY_BYTES / 5));
  const larges = await runInTurn(ways, largeBody, large);
  say(`${streams} open streams`);
  const held = await holdOpen(gateway, ways, streams);
  const bytesPerTurn = await measureTurns(gateway, key);
  return {
    addedP50Ms: added(calls, "lastMs", 0.5),
    addedP99Ms: added(calls, "lastMs", 0.99),
    addedP99MsOfTenths: addedByTenth(calls, "lastMs", 0.99),
    firstByteAddedP50Ms: added(streamed, "firstMs", 0.5),
    firstByteAddedSparseP50Ms: added(sparse, "firstMs", 0.5),
    rpsPerCore: Math.round(capacity / cores),
    bytesPerTurn: bytesPerTurn.webSocket,
    bytesPerTurnHttp: bytesPerTurn.http,
    added1MiBP50Ms: added(larges, "lastMs", 0.5),
    capacityRps: Math.round(capacity),
    ratePerS: Math.round(rate),
    directP50Ms: percentile(calls.direct, "lastMs", 0.5),
    directSparseP50Ms: percentile(sparse.direct, "firstMs", 0.5),
    directP99Ms: percentile(calls.direct, "lastMs", 0.99),
    gatewayP99Ms: percentile(calls.gateway, "lastMs", 0.99),
    calls: calls.gateway.length,
    ...held,
  };
}

type Times = { firstMs: number; lastMs: number };
type Both = Record<"direct" | "gateway", Times[]>;

function percentile(times: readonly Times[], part: keyof Times, share: number): number {
  const sorted = times.map((one) => one[part]).sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN, 3);
}

const added = ({ direct, gateway }: Both, part: keyof Times, share: number): number =>
  round(percentile(gateway, part, share) - percentile(direct, part, share), 3);

/** The same of each tenth of the run by itself, the least first: how far one burst of something else decides the whole. */
function addedByTenth({ direct, gateway }: Both, part: keyof Times, share: number): number[] {
  const cut = (times: readonly Times[], at: number): Times[] =>
    times.slice((times.length * at) / 10, (times.length * (at + 1)) / 10);
  const tenths = Array.from({ length: 10 }, (_, at) =>
    added({ direct: cut(direct, at), gateway: cut(gateway, at) }, part, share),
  );
  return tenths.sort((a, b) => a - b);
}

/** Calls a second with a fixed number under way. */
export async function runClosed(way: Pick<Way, "call">, body: string, seconds: number): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await way.call(body);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return (done * 1000) / (performance.now() - startMs);
}

/**
 * Calls on a schedule that nothing holds up, for so many seconds each way: a second the one, a second the other, since calls that
 * go direct at the same time would take cores from the gateway that whoever has one does not take from it.
 */
async function runOpen(ways: Measurement["ways"], body: string, ratePerS: number, seconds: number): Promise<Both> {
  const times: Both = { direct: [], gateway: [] };
  for (let second = 0; second < 2 * seconds; second++) {
    const name = second % 2 === 0 ? "direct" : "gateway";
    const calls = Math.ceil(ratePerS * Math.min(1, seconds - Math.floor(second / 2)));
    times[name].push(...(await runSecond(ways[name], body, ratePerS, calls)));
  }
  return times;
}

/** In the order in which they were sent. */
function runSecond(way: Pick<Way, "call">, body: string, ratePerS: number, calls: number): Promise<Times[]> {
  const running: Promise<Times>[] = [];
  const startMs = performance.now();
  return new Promise((resolve) => {
    const send = (): void => {
      const due = Math.min(calls, Math.floor(((performance.now() - startMs) / 1000) * ratePerS) + 1);
      while (running.length < due) running.push(way.call(body));
      if (running.length < calls) setTimeout(send, 1);
      else resolve(Promise.all(running));
    };
    send();
  });
}

async function runInTurn(ways: Measurement["ways"], body: string, count: number): Promise<Both> {
  const times: Both = { direct: [], gateway: [] };
  for (let at = 0; at < count; at++) {
    for (const name of ["direct", "gateway"] as const) times[name].push(await ways[name].call(body));
  }
  return times;
}

const ROUNDS = 15;

/** Memory of the gateway with none, with all of them, and with all of them each time again once the last have ended. */
async function holdOpen({ pid }: Gateway, ways: Measurement["ways"], count: number) {
  const rssMb = round(readRssMb(pid), 1);
  const rssOpenMb: number[] = [];
  for (let time = 0; time < ROUNDS; time++) {
    const ends: (() => void)[] = [];
    for (let at = 0; at < count; at += 100) {
      const batch = Array.from({ length: Math.min(100, count - at) }, () => ways.gateway.open(bodyOf("open")));
      ends.push(...(await Promise.all(batch)));
    }
    rssOpenMb.push(round(readRssMb(pid), 1));
    for (const end of ends) end();
    await until("the streams have ended upstream", async () =>
      (await ways.direct.countOpen()) === 0 ? true : undefined,
    );
  }
  return { openStreams: count, rssMb, rssOpenMb };
}

/** Bytes that a client sends in the last turn of a conversation: over a WebSocket what is new, over HTTP everything. */
async function measureTurns({ url }: Gateway, key: string): Promise<{ webSocket: number; http: number }> {
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, {
    headers,
    perMessageDeflate: false,
  });
  await once(socket, "open");
  const history: object[] = [];
  let previous: string | undefined;
  let sent = 0;
  for (let turn = 0; turn < WS_TURNS; turn++) {
    const message = { type: "message", role: "user", content: `Turn ${turn}: ${"words ".repeat(100)}` };
    history.push(message);
    const text = JSON.stringify({
      type: "response.create",
      model: "stream",
      input: [message],
      previous_response_id: previous,
    });
    sent = Buffer.byteLength(text);
    const response = await answerOf(socket, () => socket.send(text));
    previous = response.id;
    history.push(...response.output);
  }
  socket.close();
  return { webSocket: sent, http: Buffer.byteLength(JSON.stringify({ model: "stream", input: history })) };
}

type Answered = { id: string; output: object[] };

/** The response that ends the answer to what `send` sends. Events come several at once: none is waited for by itself. */
const answerOf = (socket: WebSocket, send: () => void): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const read = (data: unknown): void => {
      const event = JSON.parse(String(data));
      if (event.type !== "error" && event.type !== "response.completed") return;
      socket.off("message", read);
      if (event.type === "error") reject(new Error(`the gateway answered ${String(data)}`));
      else resolve(event.response);
    };
    socket.on("message", read);
    send();
  });
