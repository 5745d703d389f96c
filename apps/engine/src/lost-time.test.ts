import { afterEach, describe, expect, it, vi } from "vitest";
import { startTestEngine } from "./testing.ts";

vi.setConfig({ testTimeout: 30_000 });

type TestEngine = Awaited<ReturnType<typeof startTestEngine>>;
type Span = Awaited<ReturnType<TestEngine["takeSpans"]>>[number];

const started: TestEngine[] = [];
async function start(settings: Record<string, string>): Promise<TestEngine> {
  const engine = await startTestEngine(settings);
  started.push(engine);
  await engine.takeSpans();
  return engine;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((engine) => engine.stop()));
});

const ask = (name: string) => ({ model: "scripted-strong", input: `${name} is what we talk about. `.repeat(40) });
const named = (spans: readonly Span[], name: string): Span[] => spans.filter((span) => span.name === name);
const sum = (spans: readonly Span[], attribute: string): number =>
  spans.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
const fromNs = ({ startTime: [s, ns] }: Span): number => s * 1e9 + ns;
const toNs = ({ endTime: [s, ns] }: Span): number => s * 1e9 + ns;

describe("what an answer took longer", () => {
  it("for prompts of others is on its span, in steps beside them and in those that it waited for", async () => {
    for (const chunkedPrefill of [true, false]) {
      const engine = await start({ CENTSPAN_TIME_SCALE: "0.5" });
      engine.engine.settings.change({ chunkedPrefill });
      await Promise.all(
        ["tea", "coffee", "milk", "juice", "wine"].map((name) => engine.json("/v1/responses", ask(name))),
      );
      const spans = await engine.takeSpans();
      const alone = named(spans, "inference.decode.step").filter(
        (step) => step.attributes["centspan.step.batch_size"] === 0,
      );
      const decodes = named(spans, "inference.decode");
      for (const decode of decodes) {
        const waited = alone.filter((step) => fromNs(step) >= fromNs(decode) && toNs(step) <= toNs(decode));
        const lostMs = sum([decode], "centspan.decode.interference_ms");
        if (chunkedPrefill) expect(waited).toEqual([]);
        else expect(lostMs).toBeCloseTo(sum(waited, "centspan.step.time_ms"), 6);
      }
      expect(sum(decodes, "centspan.decode.interference_ms")).toBeGreaterThan(0);
    }
  });

  it("for drafts goes by how many are accepted, as it was measured", async () => {
    const engine = await start({ CENTSPAN_DRAFT_TOKENS: "3", CENTSPAN_DRAFT_ACCEPTANCE: "1,0,0" });
    const { body } = await engine.json("/v1/responses", ask("tea"));
    const spans = await engine.takeSpans();
    const steps = named(spans, "inference.decode.step").filter(
      (step) => step.attributes["centspan.step.draft_proposed"] === 3,
    );
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(step.attributes["centspan.step.draft_accepted"]).toBe(1);
    expect(sum(named(spans, "inference.decode"), "centspan.decode.rejected_ms")).toBeGreaterThan(0);
    expect(named(spans, "inference.decode")[0]?.attributes["centspan.decode.tokens"]).toBe(body.usage?.output_tokens);
  });
});

it("says of a prompt that it was there and had its time", async () => {
  // Nobody asks again within a microsecond.
  const engine = await start({ CENTSPAN_KV_RETENTION_S: "0.000001" });
  await engine.json("/v1/responses", ask("tea"));
  await engine.json("/v1/responses", ask("tea"));
  const [first, second] = named(await engine.takeSpans(), "inference.kv.lookup");
  expect(first?.attributes["centspan.kv.expired_blocks"]).toBeUndefined();
  expect(second?.attributes).toMatchObject({ "centspan.kv.hit_blocks": 0, "centspan.kv.expired_blocks": 4 });
});
