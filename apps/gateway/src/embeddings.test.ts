import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

const ANSWER = {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [0.25, -1] }],
  model: "text-embedding-3-small",
  usage: { prompt_tokens: 12, total_tokens: 12 },
};
const answer = (body: object): void =>
  test.peer.answer((response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

describe("embeddings", () => {
  const embed = (input: unknown) => ({ path: "/v1/embeddings", body: { model: "text-embedding-3-small", input } });

  it.each([["one text"], [["two", "texts"]], [[1, 2, 3]], [[[1, 2], [3]]]])(
    "of %j pass through untouched, to our engine too",
    async (input) => {
      answer(ANSWER);
      const response = await client.post(embed(input));
      expect(await response.json()).toEqual(ANSWER);
      expect(test.peer.requests).toMatchObject([
        {
          url: "/v1/embeddings",
          body: JSON.stringify(embed(input).body),
          headers: { authorization: "Bearer upstream-key" },
        },
      ]);
    },
  );

  it("are a call of their own kind, with the usage that was reported and no output", async () => {
    answer(ANSWER);
    const at = await test.open({ provider: "openai" });
    const trace = createTrace();
    await client.post(embed("text"), { ...trace, "x-centspan-task": "index" }, at);
    const span = await client.readAttributes(trace.traceId, "embeddings text-embedding-3-small");
    expect(span).toMatchObject({
      "gen_ai.operation.name": "embeddings",
      "gen_ai.provider.name": "openai",
      "gen_ai.response.model": "text-embedding-3-small",
      "gen_ai.usage.input_tokens": 12,
      "centspan.task.id": "index",
      "centspan.team.id": "payments",
    });
    expect(span).not.toHaveProperty("gen_ai.usage.output_tokens");
    expect(span).not.toHaveProperty("centspan.usage.missing");
  });

  it("without usage are flagged; what is no input is refused", async () => {
    const { usage: _, ...silent } = ANSWER;
    answer(silent);
    const trace = createTrace();
    await client.post(embed("text"), trace);
    const span = await client.readAttributes(trace.traceId, "embeddings text-embedding-3-small");
    expect(span["centspan.usage.missing"]).toBe(true);
    for (const input of [{}, [], ["a", 1], undefined]) {
      const response = await client.post(embed(input));
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    }
  });
});
