import { createGzip } from "node:zlib";
import { CentspanError } from "@centspan/base";
import { waitUntil } from "@centspan/testing";
import { afterEach, describe, expect, it } from "vitest";
import { createTrace, openTestCollector, type TestCollector, waitForSpans } from "./testing/open-test-collector.ts";

const opened: TestCollector[] = [];
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.dispose();
});

async function open(options: Parameters<typeof openTestCollector>[0] = {}): Promise<TestCollector> {
  const collector = await openTestCollector(options);
  opened.push(collector);
  return collector;
}

const post = (collector: TestCollector, body: Uint8Array): Promise<Response> =>
  fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    body: Buffer.from(body),
    headers: { "content-type": "application/x-protobuf", authorization: `Bearer ${collector.keys.ingest}` },
  });

async function readHealth(collector: TestCollector): Promise<[number, unknown]> {
  const health = await fetch(`${collector.url}/health`);
  return [health.status, await health.json()];
}

describe("a warehouse that is away", () => {
  it("is no reason to refuse anything: all of it is there once it is back", async () => {
    const collector = await open();
    const before = createTrace();
    expect((await post(collector, before.protobuf)).status).toBe(200);
    await waitForSpans(collector, before.traceId);
    await collector.gate.shut();
    const during = Array.from({ length: 20 }, () => createTrace());
    for (const { protobuf } of during) expect((await post(collector, protobuf)).status).toBe(200);
    await waitUntil("the loader noticed", () => collector.readStatus().loader.warehouseAway);
    expect(await readHealth(collector)).toEqual([
      200,
      { status: "ok", away: ["clickhouse"], message: "data waits in the spool until the warehouse is back" },
    ]);
    expect(collector.readStatus().spool.frames).toBe(20);
    expect(collector.readStatus().spool.oldestAgeS).not.toBeNull();
    await collector.gate.open();
    for (const { traceId } of during) await waitForSpans(collector, traceId);
    await waitUntil("nothing waits", () => collector.readStatus().spool.frames === 0);
    expect(collector.readStatus().loader.warehouseAway).toBe(false);
  });

  it("may stay away over a restart", async () => {
    const collector = await open();
    await collector.gate.shut();
    const sent = createTrace();
    expect((await post(collector, sent.protobuf)).status).toBe(200);
    await waitUntil("the loader noticed", () => collector.readStatus().loader.warehouseAway);
    await collector.reopen();
    expect(collector.readStatus().spool.frames).toBe(1);
    await collector.gate.open();
    await waitForSpans(collector, sent.traceId);
  });

  it("refuses retryably once the spool is full, and takes data again when it is not", async () => {
    const collector = await open();
    await collector.reopen({ spool: { folder: `${collector.folder}/small`, maxBytes: 100_000, segmentBytes: 20_000 } });
    await collector.gate.shut();
    const taken: string[] = [];
    let refused: Response | undefined;
    while (refused === undefined) {
      const { traceId, protobuf } = createTrace(["00000000000000a1"], "x".repeat(10_000));
      const response = await post(collector, protobuf);
      if (response.status === 200) taken.push(traceId);
      else refused = response;
    }
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(taken.length).toBeGreaterThan(5);
    expect((await readHealth(collector))[0]).toBe(503);
    await collector.gate.open();
    for (const traceId of taken) await waitForSpans(collector, traceId);
    await waitUntil("it is well again", async () => (await readHealth(collector))[0] === 200);
    const after = createTrace();
    expect((await post(collector, after.protobuf)).status).toBe(200);
    await waitForSpans(collector, after.traceId);
  });
});

it("a store that does not answer is named as one that is away, and health does not wait for it", async () => {
  const never = () => new Promise<never>(() => undefined);
  const collector = await open({ askWarehouse: never, askControl: never });
  expect(await readHealth(collector)).toMatchObject([200, { status: "ok", away: ["clickhouse", "postgres"] }]);
});

describe("a control plane that is away", () => {
  it("is named at once, and an illness when no key is known any more", async () => {
    const away = { askControl: () => Promise.reject(new CentspanError("store_unavailable", "away")) };
    const collector = await open(away);
    expect(await readHealth(collector)).toEqual([200, { status: "ok", away: ["postgres"] }]);
    await collector.reopen({ ...away, keysKnownForMs: 0 });
    expect(await readHealth(collector)).toEqual([
      503,
      { status: "unavailable", away: ["postgres"], message: "no key can be checked" },
    ]);
  });
});

describe("memory", () => {
  it("what all requests hold together is bounded, compressed or not", async () => {
    const collector = await open({ maxHeldBytes: 300_000 });
    const { protobuf } = createTrace(["00000000000000a1"], "x".repeat(150_000));
    const statuses = await Promise.all(Array.from({ length: 8 }, () => sendSlowly(collector, protobuf)));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect((await post(collector, protobuf)).status).toBe(200);
  });
});

/** All but the end of a body first, so that several are held at once. */
async function sendSlowly(collector: TestCollector, body: Uint8Array): Promise<number> {
  const gzip = createGzip();
  const stream = new ReadableStream({
    async start(controller) {
      gzip.on("data", (chunk: Buffer) => controller.enqueue(chunk));
      gzip.on("end", () => controller.close());
      gzip.write(body.subarray(0, body.length - 1));
      await new Promise<void>((resolve) => gzip.flush(resolve));
      const holds = () => collector.readStatus().requests.traces.store_unavailable ?? 0;
      await waitUntil("one was refused", () => holds() > 0);
      gzip.end(body.subarray(body.length - 1));
    },
  });
  const response = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    body: stream,
    headers: {
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
      authorization: `Bearer ${collector.keys.ingest}`,
    },
    ...{ duplex: "half" },
  });
  return response.status;
}
