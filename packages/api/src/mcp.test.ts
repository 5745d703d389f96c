/** A real MCP client over real HTTP, with the key of a workspace. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createWallClock } from "@centspan/base";
import { EMPTY_BUCKETS } from "@centspan/model";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMcpEndpoint, createTraceApi } from "./index.ts";
import { makeCall, useApi } from "./testing/use-api.ts";

const { warehouse, control, client: owner } = useApi("mcp");
const endpoint = createMcpEndpoint(createTraceApi({ warehouse, control, clock: createWallClock() }));

const server = createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = "GET", url = "/", headers } = incoming;
  const answer = await endpoint.handle(
    new Request(new URL(url, "http://mcp.test"), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    }),
  );
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(Buffer.from(await answer.arrayBuffer()));
});

const keys: Record<"api" | "ingest", string> = { api: "", ingest: "" };
let address: URL;
beforeAll(async () => {
  await control.ensureWorkspace("o", { id: "mcp", name: "mcp" });
  for (const kind of ["api", "ingest"] as const)
    keys[kind] = (await control.createKey({ workspace: "mcp", name: kind, kind, team: null }, "tests")).secret;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
afterAll(() => server.close());

async function withClient<T>(key: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "tests", version: "1" });
  const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

it("offers what the Trace API answers, and nothing that changes anything", async () => {
  const { tools } = await withClient(keys.api, (client) => client.listTools());
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["costOutcomes", "compareOutcomes", "readTrace", "sumCosts", "listUnlinked"]),
  );
  expect(names).not.toEqual(expect.arrayContaining(["postOutcome"]));
  expect(names.filter((name) => /^(create|delete|post|set|add|end)/.test(name))).toEqual([]);
  const compare = tools.find(({ name }) => name === "readTrace");
  expect(compare?.inputSchema).toMatchObject({ type: "object", required: ["traceId"] });
});

it("answers as the API does, numbers and path parameters included", async () => {
  await owner.postOutcome({ subject: { task: "t" }, kind: "tests", status: "passed", source: "ci" });
  const call = (name: string, given: object) =>
    withClient(keys.api, (client) => client.callTool({ name, arguments: { ...given } }));
  const text = async (name: string, given: object) => JSON.parse(Object(await call(name, given)).content[0].text);
  expect(await text("listOutcomes", { task: "t" })).toMatchObject({
    data: [{ subject: { task: "t" }, status: "passed" }],
  });
  expect(await text("listTasks", { limit: 5 })).toEqual({ data: [], total: 0, nextCursor: null });
  expect(await call("readTrace", { traceId: "none" })).toMatchObject({ isError: true });
  expect(await text("compareOutcomes", { groupBy: "team", a: "x" })).toMatchObject({
    code: "invalid_request",
    field: "b",
  });
  expect(await call("postOutcome", {})).toMatchObject({ isError: true });
});

it("says nothing to who has no key that may read", async () => {
  for (const key of ["", "cs_api_wrong", keys.ingest])
    await expect(withClient(key, (client) => client.listTools())).rejects.toThrow();
});

it("lets an agent simulate, and file what a person then decides on only with a key that may write", async () => {
  const key = (
    await control.createKey(
      { workspace: "mcp", name: "optimizer", kind: "api", team: null, rules: { mcp: { write: true } } },
      "tests",
    )
  ).secret;
  const recommendation = {
    kind: "serving",
    subject: "engine",
    title: "A larger batch",
    changes: [{ knob: "maxSequences", now: 4, proposed: 64, effect: null }],
    effect: null,
    metric: "gpu_seconds_per_token",
    savings: { capacityUsdMonth: "1", cashUsdMonth: "0" },
    provenance: "simulated",
    evidence: { chosenOn: "a", judgedOn: "b", traceIds: [], verdict: null },
    risks: [],
    apply: [],
  };
  const call = async (client: Client, name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = Array.isArray(content) ? content : [];
    const text = String(first?.text);
    return { text, isError, value: isError ? null : JSON.parse(text) };
  };
  await withClient(keys.api, async (client) => {
    expect(await call(client, "simulateCalls", {})).toMatchObject({
      isError: false,
      value: { provenance: "simulated" },
    });
    const refused = await call(client, "proposeRecommendation", recommendation);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("mcp.write") });
    expect((await call(client, "listRecommendations", {})).value.data).toEqual([]);
  });
  await withClient(key, async (client) => {
    const { tools } = await client.listTools();
    const propose = tools.find(({ name }) => name === "proposeRecommendation");
    expect(propose?.inputSchema.required).toContain("changes");
    expect(propose?.annotations?.readOnlyHint).toBe(false);
    for (const name of ["acceptRecommendation", "rejectRecommendation"])
      expect((await call(client, name, { id: "x", by: "agent" })).isError).toBe(true);
    const { value } = await call(client, "proposeRecommendation", recommendation);
    expect(value).toMatchObject({ state: "proposed", proposedBy: expect.stringContaining("optimizer") });
    const early = await call(client, "applyRecommendation", { id: value.id, by: "agent" });
    expect(early).toMatchObject({ isError: true, text: expect.stringContaining("it is proposed") });
    await owner.stepRecommendation(value.id, "accept", { by: "Ada" });
    expect((await call(client, "applyRecommendation", { id: value.id, by: "agent" })).value.state).toBe("applied");
  });
});

it("takes a scripted agent from what costs most to a verified recommendation, with a person between", async () => {
  const NOON_NS = 1_794_744_000_000_000_000n;
  const callAt = (at: number) =>
    makeCall({
      callId: `mcp-${at}`,
      atNs: NOON_NS + BigInt(at) * 400_000_000n,
      durationNs: 1_000_000_000n,
      key: "agents",
      sessionId: `s${at % 12}`,
      buckets: { ...EMPTY_BUCKETS, input: 1_200, cacheRead: at < 12 ? 0 : 1_024, outputText: 120 },
    });
  await warehouse.insertCalls(
    "mcp",
    Array.from({ length: 300 }, (_, at) => callAt(at)),
  );
  const half = new Date(Number(NOON_NS / 1_000_000n) + 60_000).toISOString();
  const rules = { mcp: { write: true } };
  const { secret } = await control.createKey(
    { workspace: "mcp", name: "agent", kind: "api", team: null, rules },
    "tests",
  );
  await withClient(secret, async (client) => {
    const ask = async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [first] = Array.isArray(content) ? content : [];
      return { isError, text: String(first?.text) };
    };
    const read = async (name: string, args: Record<string, unknown>) => JSON.parse((await ask(name, args)).text);
    // What costs most, whose work it is, and what of it was paid for twice.
    const [dearest] = (await read("sumCosts", { groupBy: "key" })).data;
    expect(dearest).toMatchObject({ group: "agents", calls: 300 });
    expect((await read("sumWaste", { groupBy: "cause" })).total).toHaveProperty("wasteUsd");
    // A hypothesis, tried on the earlier calls, and judged on the later ones.
    const simulate = (maxSequences: number, calls: Record<string, string>) =>
      read("simulateCalls", { config: { engine: { maxSequences } }, calls: { key: dearest.group, ...calls } });
    const [before, after] = [await simulate(1, { to: half }), await simulate(32, { to: half })];
    expect(after.result.ttftMs.mean).toBeLessThan(before.result.ttftMs.mean);
    const [now, then] = [await simulate(1, { from: half }), await simulate(32, { from: half })];
    const share = Number(then.result.ttftMs.mean) / Number(now.result.ttftMs.mean) - 1;
    const effect = { share, low: Math.max(-1, share - 0.05), high: share + 0.05, level: 0.8 };
    const { id } = await read("proposeRecommendation", {
      kind: "serving",
      subject: "engine",
      title: "Let more sequences into a batch",
      changes: [{ knob: "maxSequences", now: 1, proposed: 32, effect: null }],
      effect,
      metric: "gpu_seconds_per_token",
      savings: { capacityUsdMonth: "0", cashUsdMonth: "0" },
      provenance: "simulated",
      evidence: { chosenOn: before.id, judgedOn: now.id, traceIds: [], verdict: null },
      risks: [],
      apply: [],
    });
    // Nothing that nobody accepted is applied, whoever says so.
    expect(await ask("applyRecommendation", { id, by: "agent" })).toMatchObject({ isError: true });
    expect((await owner.recommendation(id)).state).toBe("proposed");
    await owner.stepRecommendation(id, "accept", { by: "Ada" });
    expect((await read("applyRecommendation", { id, by: "agent" })).state).toBe("applied");
    const range = { from: "2026-11-15T12:01:00Z", to: "2026-11-15T12:02:00Z" };
    const verified = await read("verifyRecommendation", {
      id,
      by: "agent",
      realised: { effect, requests: 150, ...range },
    });
    expect(verified).toMatchObject({ state: "verified", realised: { isWithinInterval: true } });
    expect(verified.steps.map(({ step, by }: { step: string; by: string }) => `${step} ${by}`)).toEqual([
      "accept Ada",
      "applied agent",
      "verified agent",
    ]);
  });
});
