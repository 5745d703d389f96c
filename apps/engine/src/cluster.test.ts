import { afterEach, describe, expect, it, vi } from "vitest";
import { startTestEngine } from "./testing.ts";

vi.setConfig({ testTimeout: 30_000 });

type TestEngine = Awaited<ReturnType<typeof startTestEngine>>;

const started: TestEngine[] = [];
async function start(settings?: Record<string, string>): Promise<TestEngine> {
  const engine = await startTestEngine(settings);
  started.push(engine);
  await engine.takeSpans();
  return engine;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((engine) => engine.stop()));
});

const ask = (text: string) => ({ model: "scripted-strong", input: text });
const long = (name: string) => `${name} is what we talk about. `.repeat(40);
const replicasOf = (spans: Awaited<ReturnType<TestEngine["takeSpans"]>>, name: string) =>
  spans.filter((span) => span.name === name).map((span) => String(span.attributes["centspan.replica.id"]));

describe("several replicas", () => {
  it("each have a name, and a conversation stays with the one that has its beginning", async () => {
    const engine = await start({ CENTSPAN_REPLICAS: "3", CENTSPAN_REPLICA_ID: "gpu-0" });
    for (let turn = 0; turn < 3; turn++) {
      for (const name of ["tea", "coffee"]) await engine.json("/v1/responses", ask(long(name) + turn));
    }
    const spans = await engine.takeSpans();
    const lookups = replicasOf(spans, "inference.kv.lookup");
    expect(new Set([lookups[0], lookups[2], lookups[4]]).size).toBe(1);
    expect(new Set([lookups[1], lookups[3], lookups[5]]).size).toBe(1);
    expect(lookups.every((id) => /^gpu-[012]$/.test(id))).toBe(true);
    const hits = spans
      .filter(({ name }) => name === "inference.kv.lookup")
      .map((s) => s.attributes["centspan.kv.hit_blocks"]);
    expect(hits.slice(2).every((blocks) => Number(blocks) > 0)).toBe(true);
  });

  it("where prefill and decoding are separate, an answer is made by two, and is the same", async () => {
    const whole = await start();
    const separate = await start({ CENTSPAN_PREFILL_REPLICAS: "1", CENTSPAN_DECODE_REPLICAS: "1" });
    const [expected, answered] = await Promise.all(
      [whole, separate].map((engine) => engine.events("/v1/responses", ask(long("tea")))),
    );
    const told = (events: typeof expected) => events?.map(({ type, delta }) => [type, delta]);
    expect(told(answered)).toEqual(told(expected));
    const usage = answered?.at(-1)?.response?.usage;
    expect(usage).toEqual(expected?.at(-1)?.response?.usage);
    const spans = (await separate.takeSpans()).filter(({ name }) => name.startsWith("inference."));
    const transfer = spans.find(({ name }) => name === "inference.kv.transfer");
    expect(transfer?.attributes).toMatchObject({
      "centspan.kv.transfer.from": "engine-0",
      "centspan.replica.id": "engine-1",
    });
    expect(replicasOf(spans, "inference.decode")).toContain("engine-1");
  });

  it("a slower one takes longer for the same", async () => {
    const engine = await start({
      CENTSPAN_REPLICAS: "2",
      CENTSPAN_REPLICA_SPEEDS: "1,0.5",
      CENTSPAN_ROUTER: "round-robin",
    });
    await engine.json("/v1/responses", ask("tea"));
    await engine.json("/v1/responses", ask("tea"));
    const steps = (await engine.takeSpans()).filter(({ name }) => name === "inference.decode.step");
    const timeOf = (replica: string) =>
      steps
        .filter(({ attributes }) => attributes["centspan.replica.id"] === replica)
        .reduce((sum, { attributes }) => sum + Number(attributes["centspan.step.time_ms"]), 0);
    expect(timeOf("engine-1") / timeOf("engine-0")).toBeCloseTo(2, 6);
  });
});

describe("settings", () => {
  const patch = async (engine: TestEngine, change: object) => {
    const response = await engine.post("/v1/settings", change, { method: "PATCH" });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  it("are told, and changed while it runs", async () => {
    const engine = await start();
    const first = JSON.parse(await (await fetch(`${engine.url}/v1/settings`)).text());
    expect(first).toMatchObject({ policy: "lru-leaf", draftTokens: 0, replicas: [{ id: "engine-0" }] });
    const change = {
      policy: "arc",
      maxSequences: 4,
      tokenBudget: 512,
      router: { id: "least-load" },
      draftTokens: "auto",
    };
    expect(await patch(engine, change)).toMatchObject({ status: 200, body: change });
    const { body } = await engine.json("/v1/responses", ask(long("tea")));
    expect(body.status).toBe("completed");
    const spans = await engine.takeSpans();
    const lookup = spans.find(({ name }) => name === "inference.kv.lookup");
    expect(lookup?.attributes["centspan.kv.policy"]).toBe("arc");
    const drafted = spans.filter(({ attributes }) => attributes["centspan.step.draft_model"] !== undefined);
    expect(drafted.length).toBeGreaterThan(0);
    const sum = (name: string) => drafted.reduce((total, { attributes }) => total + Number(attributes[name]), 0);
    expect(sum("centspan.step.draft_accepted")).toBeGreaterThan(0);
    expect(sum("centspan.step.draft_proposed")).toBeGreaterThan(sum("centspan.step.draft_accepted"));
    // By position the same, and one request is rejected at one position a step, unless it ends there.
    const listOf = (name: string) => drafted.map(({ attributes }) => [attributes[name]].flat().map(Number));
    const add = (lists: number[][]) => lists.flat().reduce((total, count) => total + count, 0);
    expect(add(listOf("centspan.step.draft_accepted_at"))).toBe(sum("centspan.step.draft_accepted"));
    for (const rejected of listOf("centspan.step.draft_rejected_at")) expect(add([rejected])).toBeLessThanOrEqual(1);
    expect(add(listOf("centspan.step.draft_rejected_at"))).toBeGreaterThan(0);
    const steps = spans.filter(({ name }) => name === "inference.decode.step");
    expect(steps.length).toBeLessThan(Number(body.usage?.output_tokens));
  });

  it.each([
    [{ policy: "none" }, 404, /policy/],
    [{ router: { id: "none" } }, 404, /router/],
    [{ router: { id: "least-load", settings: { x: 1 } } }, 400, /router\.settings\.x|"x"/],
    [{ maxSequences: 0 }, 400, /maxSequences/],
    [{ tokenBudget: 1 }, 400, /tokenBudget/],
    [{ speed: 2 }, 400, /speed/],
  ])("%j is refused, and nothing changes", async (change, status, message) => {
    const engine = await start();
    const refused = await patch(engine, change);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringMatching(message)]);
    expect(engine.engine.settings.read()).toMatchObject({ policy: "lru-leaf", maxSequences: 64, tokenBudget: 2048 });
  });
});

describe("hints", () => {
  /** Room for the first two and not for all three. */
  const settings = { CENTSPAN_KV_POLICY: "loop-aware", CENTSPAN_KV_BLOCKS: "13" };

  it.each([
    ["the run that ended", true],
    ["whoever was there first, where nobody said so", false],
  ])("make room by %s", async (_name, isTold) => {
    const engine = await start(settings);
    const turn = async (name: string) => {
      const headers = { "x-centspan-run": name };
      const { body } = await engine.json("/v1/responses", ask(long(name)), { headers });
      return Number(body.usage?.input_tokens_details.cached_tokens);
    };
    await turn("first");
    await turn("second");
    if (isTold) expect((await engine.post("/v1/hints", { kind: "run_ended", runId: "second" })).status).toBe(204);
    await turn("third");
    // Four whole blocks were there; the first keeps them all where the second was known to be over.
    expect((await turn("first")) / 64).toBe(isTold ? 4 : 2);
  });

  it.each([
    [{ kind: "run_ended" }, "runId"],
    [{ kind: "subagent_returned", runId: "r" }, "threadId"],
    [{ kind: "nap", runId: "r" }, "kind"],
    [{ kind: "long_wait", runId: "r", threadId: "t", expectedMs: -1 }, "expectedMs"],
  ])("%j is refused", async (hint, field) => {
    const engine = await start(settings);
    const refused = await engine.post("/v1/hints", hint);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(field)]);
  });
});
