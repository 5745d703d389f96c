import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { startUpstreamPeer, type UpstreamPeer } from "./testing/upstream-peer.ts";

let test: TestGateway;
let own: UpstreamPeer;
beforeAll(async () => {
  test = await openTestGateway();
  own = await startUpstreamPeer();
});
afterAll(() => Promise.all([test.close(), own.close()]));

const list = (...ids: string[]) => JSON.stringify({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });

async function open(rules: { models?: string[] } = {}) {
  own.answer((response) => void response.end(list("qwen-small", "qwen-big", "hidden")));
  test.peer.answer((response) => void response.end(list("gpt-6-sol", "qwen-big")));
  const nobody = "http://127.0.0.1:9";
  const url = await test.open({
    upstreams: {
      upstreams: [
        { name: "own", provider: "vllm", models: ["qwen-*"], replicas: [{ url: nobody }, { url: own.url }] },
        { name: "away", provider: "vllm", replicas: [{ url: nobody }] },
        { name: "rented", provider: "openai", replicas: [{ url: test.peer.url }] },
      ],
    },
  });
  const { secret } = await test.createKey("gateway", rules);
  return (path: string, headers: Record<string, string> = { authorization: `Bearer ${secret}` }) =>
    fetch(url + path, { headers });
}

describe("GET /v1/models", () => {
  it("lists what every upstream that answers serves, each model once", async () => {
    const get = await open();
    const answer = await get("/v1/models");
    expect(await answer.json()).toMatchObject({
      object: "list",
      data: [{ id: "qwen-small" }, { id: "qwen-big" }, { id: "gpt-6-sol" }],
    });
    expect((await get("/v1/models", {})).status).toBe(401);
  });

  it("lists what the key may ask for, and shows one of them by its id", async () => {
    const get = await open({ models: ["qwen-small", "gpt-*"] });
    expect(await (await get("/v1/models")).json()).toMatchObject({ data: [{ id: "qwen-small" }, { id: "gpt-6-sol" }] });
    expect(await (await get("/v1/models/gpt-6-sol")).json()).toEqual({ id: "gpt-6-sol", object: "model" });
    const refused = await get("/v1/models/qwen-big");
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining("qwen-big") } },
    ]);
  });

  it("says why where no upstream answers", async () => {
    const get = await open();
    own.answer((response) => void response.writeHead(500).end("down"));
    test.peer.answer((response) => void response.writeHead(500).end("down"));
    expect((await get("/v1/models")).status).toBe(502);
  });
});
