import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scopeName } from "./identity.ts";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import {
  type Answer,
  RESPONSES_EVENTS,
  startStream,
  startUpstreamPeer,
  type UpstreamPeer,
} from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
let peers: [UpstreamPeer, UpstreamPeer];

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  peers = [await startUpstreamPeer(), await startUpstreamPeer()];
});
afterAll(async () => {
  await Promise.all(peers.map((peer) => peer.close()));
  await test.close();
});

const good: Answer = (response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join(""));
const failing =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end('{"error":{"message":"no"}}');

/** A gateway in front of both peers. */
const open = (more: object = {}, replica: object = {}) =>
  test.open({
    upstreams: {
      upstreams: [
        {
          name: "both",
          provider: "openai",
          router: { id: "round-robin" },
          replicas: peers.map(({ url }, index) => ({ url, ...(index === 1 ? replica : {}) })),
          ...more,
        },
      ],
    },
  });
const answers = (...both: [Answer, Answer]) => peers.forEach((peer, index) => void peer.answer(both[index] ?? good));
const counts = () => peers.map(({ requests }) => requests.length);

describe("an attempt that failed unseen", () => {
  it.each([408, 429, 500, 502, 503, 504, 529])("with %i is made elsewhere, each its own call", async (status) => {
    const at = await open();
    answers(failing(status), good);
    const trace = createTrace();
    const response = await client.post(RESPONSES, trace, at);
    expect([response.status, await response.text()]).toEqual([200, Object.values(RESPONSES_EVENTS).join("")]);
    expect(counts()).toEqual([1, 1]);
    const calls = (await test.readAllSpans(trace.traceId)).filter(({ name }) => name === "chat m");
    expect(calls.map(({ attributes }) => [attributes["error.type"], attributes["centspan.retry.ordinal"]])).toEqual([
      [String(status), undefined],
      [undefined, 1],
    ]);
    expect(calls.map(({ attributes }) => attributes["gen_ai.usage.input_tokens"])).toEqual([undefined, 100]);
  });

  it("because nobody was there, too", async () => {
    const replicas = [{ url: "http://127.0.0.1:9" }, { url: peers[1].url }];
    const at = await open({ replicas });
    answers(good, good);
    expect((await client.post(RESPONSES, {}, at)).status).toBe(200);
  });

  it("is told when there is nobody else, with what the last one said", async () => {
    const at = await open();
    answers(failing(500), failing(503, { "retry-after": "3" }));
    const response = await client.post(RESPONSES, {}, at);
    expect([response.status, response.headers.get("retry-after"), counts()]).toEqual([503, "3", [1, 1]]);
  });

  it("is not made again when it was refused for what it is, or when something of it was seen", async () => {
    const at = await open();
    answers(failing(400), good);
    expect((await client.post(RESPONSES, {}, at)).status).toBe(400);
    const broken = await open();
    answers((response) => void startStream(response).write(RESPONSES_EVENTS.delta, () => response.destroy()), good);
    await expect((await client.post(RESPONSES, {}, broken)).text()).rejects.toThrow();
    expect(counts()).toEqual([1, 0]);
  });
});

describe("a replica", () => {
  it("that fails three times in a row rests, and is asked again after a while", async () => {
    const at = await open();
    answers(failing(500), good);
    const ask = async () => expect((await client.post(RESPONSES, {}, at)).status).toBe(200);
    for (let i = 0; i < 12; i++) await ask();
    expect(counts()).toEqual([3, 12]);
    answers(good, good);
    test.restClock.aheadMs += 6_000;
    for (let i = 0; i < 4; i++) await ask();
    expect(counts()).toEqual([2, 2]);
  });

  it("that says when to come again is left alone so long", async () => {
    const at = await open();
    answers(failing(429, { "retry-after": "7" }), good);
    for (let i = 0; i < 4; i++) expect((await client.post(RESPONSES, {}, at)).status).toBe(200);
    expect(counts()).toEqual([1, 4]);
  });

  it("that refuses is not taken for a fast one", async () => {
    const at = await open({ router: { id: "estimated-prefix" } });
    const slow: Answer = (response, request) => void setTimeout(() => good(response, request), 20);
    answers(failing(400), slow);
    for (let i = 0; i < 60; i++) {
      const body = { model: "m", input: `${i} `.repeat(50) };
      await (await client.post({ ...RESPONSES, body }, {}, at)).text();
    }
    expect(counts()[1]).toBeGreaterThan(20);
  });

  it("takes what fits it: length, accelerator, region", async () => {
    const at = await open({}, { maxContextTokens: 4, accelerator: "h100", region: "seoul" });
    answers(good, good);
    for (let i = 0; i < 3; i++)
      await client.post({ ...RESPONSES, body: { model: "m", input: "long ".repeat(50) } }, {}, at);
    expect(counts()).toEqual([3, 0]);
    const short = { ...RESPONSES, body: { model: "m", input: "" } };
    answers(good, good);
    const wishes: Record<string, string>[] = [{ "x-centspan-accelerator": "h100" }, { "x-centspan-region": "seoul" }];
    const small = await open({}, { accelerator: "h100", region: "seoul" });
    for (const wish of wishes) await client.post(short, wish, small);
    expect(counts()).toEqual([0, 2]);
    const refused = await client.post(short, { "x-centspan-accelerator": "tpu" }, small);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: "x-centspan-accelerator" } }]);
  });

  it("keeps conversations that share a prefix, as long as it is not too busy", async () => {
    const at = await open({ router: { id: "estimated-prefix" } });
    answers(good, good);
    const conversation = (name: string) => `${name} `.repeat(400);
    for (let turn = 0; turn < 4; turn++) {
      for (const name of ["one", "two"]) {
        const body = { model: "m", input: conversation(name) + turn };
        await client.post({ ...RESPONSES, body }, {}, at);
      }
    }
    const seen = peers.map(({ requests }) => new Set(requests.map(({ body }) => JSON.parse(body).input.split(" ")[0])));
    expect(seen.every((names) => names.size === 1)).toBe(true);
  });
});

describe("upstreams", () => {
  const two = (first: object, second: object) =>
    test.open({
      upstreams: {
        retries: 1,
        upstreams: [
          { name: "first", provider: "openai", replicas: [{ url: peers[0].url }], ...first },
          { name: "second", provider: "openai", replicas: [{ url: peers[1].url }], ...second },
        ],
      },
    });

  it("serve the models they say; a later one stands in for an earlier", async () => {
    const at = await two({ models: ["m-*"] }, {});
    answers(good, good);
    const call = (model: string) => client.post({ ...RESPONSES, body: { model, input: "hi" } }, {}, at);
    await call("m-1");
    await call("n.1");
    expect(counts()).toEqual([1, 1]);
    answers(failing(500), good);
    expect((await call("m-1")).status).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });

  it("are named where nobody serves a model", async () => {
    const at = await two({ models: ["a"] }, { models: ["b"] });
    const response = await client.post(RESPONSES, {}, at);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { param: "model" } }]);
  });
});

describe("hints of an agent's loop", () => {
  it("go to every replica that knows agents, and to no other", async () => {
    const one = { name: "own", provider: "centspan", models: ["m"], replicas: [{ url: peers[0].url }] };
    const two = { name: "other", provider: "openai", replicas: [{ url: peers[1].url }] };
    const at = await test.open({ upstreams: { upstreams: [one, two] } });
    const hint = { path: "/v1/hints", body: { kind: "run_ended", runId: "r" } };
    answers((response) => void response.writeHead(204).end(), good);
    expect((await client.post(hint, {}, at)).status).toBe(204);
    expect(peers.map(({ requests }) => requests.map(({ url, body }) => [url, body]))).toEqual([
      [["/v1/hints", JSON.stringify({ kind: "run_ended", runId: scopeName(test.workspace, "r") })]],
      [],
    ]);
    answers(failing(400), good);
    expect((await client.post(hint, {}, at)).status).toBe(400);
    expect((await client.post(hint, { authorization: "" }, at)).status).toBe(401);
    expect((await client.post({ ...hint, body: { x: "x".repeat(20_000) } }, {}, at)).status).toBe(413);
  });

  it("are about the session that a request was given, however its client named it", async () => {
    answers(good, good);
    const at = await test.open({
      upstreams: { upstreams: [{ name: "own", provider: "centspan", replicas: [{ url: peers[0].url }] }] },
    });
    await client.post(RESPONSES, { "session-id": "codex-1" }, at);
    expect(peers[0].requests[0]?.headers["x-centspan-session"]).toBe(scopeName(test.workspace, "codex-1"));
  });

  it("and requests name runs, threads and sessions by their workspace: the same names of another are others", async () => {
    answers(good, good);
    const at = await test.open({
      upstreams: { upstreams: [{ name: "own", provider: "centspan", replicas: [{ url: peers[0].url }] }] },
    });
    const names = { "x-centspan-run": "r", "x-centspan-thread": "t", "x-centspan-session": "s" };
    const hint = { path: "/v1/hints", body: { kind: "subagent_returned", runId: "r", threadId: "t" } };
    const other = `${test.workspace}-other`;
    await test.control.ensureWorkspace("local", { id: other, name: other });
    const { secret } = await test.control.createKey(
      { workspace: other, name: "k", kind: "gateway", team: null },
      "tests",
    );
    for (const authorization of [client.common.authorization, `Bearer ${secret}`]) {
      const headers = { authorization };
      await (await client.post(RESPONSES, { ...names, ...headers }, at)).text();
      await client.post(hint, headers, at);
    }
    const [asked, told, askedByOther, toldByOther] = peers[0].requests;
    for (const [request, said, workspace] of [
      [asked, told, test.workspace],
      [askedByOther, toldByOther, other],
    ] as const) {
      const [run, thread, session] = ["r", "t", "s"].map((name) => scopeName(workspace, name));
      expect(request?.headers).toMatchObject({
        "x-centspan-run": run,
        "x-centspan-thread": thread,
        "x-centspan-session": session,
      });
      expect(JSON.parse(said?.body ?? "")).toEqual({ kind: "subagent_returned", runId: run, threadId: thread });
    }
    expect(asked?.headers["x-centspan-run"]).not.toBe(askedByOther?.headers["x-centspan-run"]);
  });

  it("reach those that can be reached, and fail only where none can", async () => {
    const replicas = [{ url: "http://127.0.0.1:9" }, { url: peers[0].url }];
    const hint = { path: "/v1/hints", body: { kind: "run_ended", runId: "r" } };
    answers((response) => void response.writeHead(204).end(), good);
    const some = await test.open({ upstreams: { upstreams: [{ name: "own", provider: "centspan", replicas }] } });
    expect((await client.post(hint, {}, some)).status).toBe(204);
    expect(peers[0].requests).toHaveLength(1);
    const away = { name: "own", provider: "centspan", replicas: replicas.slice(0, 1) };
    const none = await test.open({ upstreams: { upstreams: [away] } });
    expect((await client.post(hint, {}, none)).status).toBe(502);
  });
});
