import { createRandom } from "@centspan/base";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { createMechanisms } from "../mechanisms.ts";
import { type PeerOptions, startResponsesPeer } from "../testing/responses-peer.ts";
import { createTestSpans } from "../testing/run-spans.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { createResponsesClient } from "../transport/responses-client.ts";
import { compactContext, countContextTokens, isFull, type Measured } from "./compact-context.ts";
import { type ContextItem, createContextLog } from "./context-log.ts";
import { developerMessage, userMessage } from "./messages.ts";

const memory = openSpanMemory();
beforeEach(() => memory.reset());
afterAll(() => memory.telemetry.stop());

const settings = { model: "m", instructions: "Work.", promptCacheKey: "r" };
const call = (id: string) => ({ type: "function_call", call_id: id, name: "read_file", arguments: "{}" });
const output = (id: string, text: string) => ({ type: "function_call_output", call_id: id, output: text });
const constraint = userMessage("Task: t\n\nDon't touch the tests.");
const policy = developerMessage("From now on:\n- approval policy: never");
const before: ContextItem[] = [constraint, policy, call("1"), output("1", "old"), userMessage("Hurry up.")];
const latest: ContextItem[] = [call("2"), output("2", "what must not be lost")];

async function compact(items: ContextItem[], peerOptions: PeerOptions, keepsPlaces = true) {
  const peer = await startResponsesPeer(peerOptions);
  const retry = { maxTries: 2, baseDelayMs: 1, maxDelayMs: 5, random: createRandom(1) };
  const client = createResponsesClient({ gatewayUrl: peer.url, connections: 1, retry, mechanisms: createMechanisms() });
  const connection = client.open("k");
  onTestFinished(async () => {
    connection.close();
    await client.close();
    await peer.close();
  });
  const log = createContextLog(settings);
  for (const item of items) log.append(item);
  const compacting = compactContext({
    spans: createTestSpans(memory),
    connection,
    snapshot: log.snapshot([]),
    sentItems: items.length - latest.length,
    contextTokens: 1000,
    keepsPlaces,
    headers: {},
    signal: new AbortController().signal,
  });
  return { peer, compacting };
}

const handover = (text: string) => expect.stringMatching(new RegExp(`^Handover: [^]+${text}$`));

it("keeps what was said and the latest results word for word, and the rest as the model sums it up", async () => {
  const { peer, compacting } = await compact([...before, ...latest], { answer: () => ({ say: "Line 3 is wrong." }) });
  const { items } = await compacting;
  expect(items).toEqual([
    constraint,
    policy,
    userMessage("Hurry up."),
    { ...userMessage(""), content: [{ type: "input_text", text: handover("Line 3 is wrong.") }] },
    ...latest,
  ]);
  const asked = peer.received[0]?.body.input ?? [];
  expect(JSON.stringify(asked.slice(0, before.length))).toBe(JSON.stringify(before));
  expect(asked.slice(before.length)).toMatchObject([call("2"), output("2", "(kept)"), { role: "user" }]);
  expect(await memory.spans()).toMatchObject([
    { name: "compaction", attributes: { "centspan.compaction.before_tokens": 1000 } },
  ]);
});

it("puts the summary before what was said, where it need not stay in its place", async () => {
  const { compacting } = await compact([...before, ...latest], { answer: () => ({ say: "Line 3 is wrong." }) }, false);
  const [first, ...others] = (await compacting).items;
  expect(first).toMatchObject({ content: [{ text: handover("Line 3 is wrong.") }] });
  expect(others).toEqual([constraint, policy, userMessage("Hurry up."), ...latest]);
});

it("replaces an older handover by the new one", async () => {
  const first = await (await compact([...before, ...latest], { answer: () => ({ say: "First." }) })).compacting;
  const { compacting } = await compact([...first.items, ...latest], { answer: () => ({ say: "Second." }) });
  const texts = JSON.stringify((await compacting).items);
  expect(texts).toContain("Second.");
  expect(texts).not.toContain("First.");
});

it("is a failure when the model hands nothing over", async () => {
  const { compacting } = await compact([...before, ...latest], {
    answer: () => ({ calls: [{ tool: "x", args: {} }] }),
  });
  await expect(compacting).rejects.toThrow("the model handed nothing over");
});

it("counts what the provider counted, and what came since by its size", () => {
  const log = createContextLog(settings);
  log.append(constraint);
  log.append(output("1", "x".repeat(4_000)));
  const snapshot = log.snapshot([]);
  const measured: Measured = {
    usage: { inputTokens: 500, cachedTokens: 0, outputTokens: 100 },
    items: 1,
    longestAnswerTokens: 100,
  };
  expect(countContextTokens(snapshot, measured)).toBeGreaterThan(1_600);
  expect(countContextTokens(snapshot, measured)).toBeLessThan(1_700);
  expect(countContextTokens(snapshot, { ...measured, items: 2 })).toBe(600);
  expect(countContextTokens(snapshot, null)).toBeGreaterThan(1_000);
  expect([isFull(900, 1_000, 20), isFull(901, 1_000, 20)]).toEqual([false, true]);
  expect([isFull(600, 1_000, 200), isFull(601, 1_000, 200)]).toEqual([false, true]);
});
