import { Readable } from "node:stream";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRssMb, watchMemory } from "../bench/process-cost.ts";
import { OTLP } from "../otlp/schema.ts";
import { createRandom } from "../otlp/scramble.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { type HttpAnswer, runPipelines } from "./pipeline.ts";
import { createRequests, type FuzzRequest } from "./requests.ts";

const REQUESTS = 100_000;
const CONNECTIONS = 6;
const MAX_RSS_MB = 600;
const MAX_SHOWN = 5;
// The same requests each time, so that the gate does not turn on chance; other seeds are for looking further.
const seed = Number(process.env.CENTSPAN_FUZZ_SEED ?? 20261129);
const say = (text: string): void => void process.stderr.write(`fuzz (CENTSPAN_FUZZ_SEED=${seed}): ${text}\n`);

let stack: IngestStack;
beforeAll(async () => {
  stack = await startIngestStack();
});
afterAll(() => stack?.end());

const pidOf = (): number => stack.collector.running.child.pid ?? 0;
const health = async (): Promise<number> => (await fetch(`${stack.otlpUrl}/health`)).status;

/** Records that an answer of 200 says were refused. */
function readRejected({ signal, isJson }: FuzzRequest, { body }: HttpAnswer): number {
  const { response, rejected } = OTLP[signal];
  const message = isJson ? JSON.parse(body.toString()) : response.toObject(response.decode(body), { longs: String });
  return Number(message.partialSuccess?.[rejected] ?? 0);
}

function describeMistake(asked: FuzzRequest, answer: HttpAnswer): string | null {
  const { statuses, rejected } = asked.verdict;
  const told = answer.status === 200 ? readRejected(asked, answer) : 0;
  const isRight =
    statuses.includes(answer.status) && (answer.status !== 200 || (told >= rejected[0] && told <= rejected[1]));
  if (isRight) return null;
  const expected = `${statuses.join(" or ")}, ${rejected[0]} to ${rejected[1]} refused`;
  const body = Buffer.from(asked.request.body).toString("base64").slice(0, 2000);
  return `${asked.how}: expected ${expected}, not ${answer.status} with ${told} refused\n${answer.body.toString().slice(0, 500)}\n${asked.request.head}\n${body}`;
}

it(`answers ${REQUESTS} spoiled requests rightly, alive and within its memory`, async () => {
  const createRequest = createRequests(createRandom(seed));
  const memory = watchMemory(pidOf());
  const asked = new Map<number, FuzzRequest>();
  const statuses: Record<number, number> = {};
  const mistakes: string[] = [];
  let count = 0;
  const next = () => {
    if (count === REQUESTS) return null;
    const index = count++;
    if (index % 10_000 === 0) say(`${index} requests`);
    const request = createRequest();
    asked.set(index, request);
    return { index, request: request.request };
  };
  await runPipelines(stack.otlpUrl, CONNECTIONS, next, (index, answer) => {
    const request = asked.get(index);
    if (request === undefined) throw new Error(`request ${index} was answered twice`);
    asked.delete(index);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const mistake = describeMistake(request, answer);
    if (mistake !== null) mistakes.push(mistake);
  });
  const { maxMb } = memory.stop();
  say(`${JSON.stringify(statuses)}, collector at most ${maxMb.toFixed(0)} MB`);
  expect(mistakes.slice(0, MAX_SHOWN), `${mistakes.length} of ${REQUESTS} answers are wrong`).toEqual([]);
  expect(asked.size).toBe(0);
  // Mutations that are all refused, or all taken, would test little.
  for (const status of [200, 400, 415]) expect(statuses[status] ?? 0).toBeGreaterThan(REQUESTS / 200);
  expect(maxMb).toBeLessThan(MAX_RSS_MB);
  expect(stack.collector.running.child.exitCode).toBeNull();
  expect(await health()).toBe(200);
}, 600_000);

/** Zeros as gzip, made as they are sent. */
function zipZeros(gigabytes: number): Readable {
  const mebibyte = Buffer.alloc(1024 ** 2);
  return Readable.from(
    (function* () {
      for (let left = gigabytes * 1024; left > 0; left -= 1) yield mebibyte;
    })(),
  ).pipe(createGzip({ level: 1 }));
}

it.each(Object.values(OTLP).map(({ path }) => path))(
  "refuses gigabytes of zeros at %s with 413, in bounded memory",
  async (path) => {
    const bomb = Buffer.concat(await zipZeros(2).toArray());
    expect(bomb.length).toBeLessThan(16 * 1024 ** 2);
    for (const type of ["application/x-protobuf", "application/json"]) {
      const memory = watchMemory(pidOf());
      const headers = { "content-type": type, "content-encoding": "gzip" };
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => fetch(`${stack.otlpUrl}${path}`, { method: "POST", headers, body: bomb })),
      );
      expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
      expect(memory.stop().maxMb).toBeLessThan(MAX_RSS_MB);
    }
    expect(await health()).toBe(200);
  },
);

it("takes a gzip of several members, and none with something behind its end", async () => {
  const post = (body: Buffer<ArrayBuffer>) =>
    fetch(`${stack.otlpUrl}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body,
    });
  const members = Buffer.concat([gzipSync('{"resource'), gzipSync('Spans":[]}')]);
  expect(gunzipSync(members).toString()).toBe('{"resourceSpans":[]}');
  expect((await post(members)).status).toBe(200);
  expect((await post(Buffer.concat([gzipSync("{}"), Buffer.from("no gzip")]))).status).toBe(400);
  expect(readRssMb(pidOf())).toBeLessThan(MAX_RSS_MB);
});
