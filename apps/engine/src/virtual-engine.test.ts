import type { Session } from "@centspan/serving";
import { expect, it } from "vitest";
import { startVirtualEngine } from "./virtual-engine.ts";

const sessions: Session[] = Array.from({ length: 24 }, (_, session) => ({
  thread: Array.from({ length: 3 }, (_turn, turn) => ({
    promptTokens: 64 * (3 + turn) + session,
    outputTokens: 5 + ((session * 7) % 20),
    blockKeys: Array.from({ length: 3 + turn }, (_key, depth) => (depth < 2 ? depth : session * 100 + depth)),
    gapNs: 0,
  })),
}));

const describeSpans = async (settings: Record<string, string>): Promise<string[]> => {
  const virtual = await startVirtualEngine(settings, 1_000_000_000_000_000_000n);
  await virtual.play(sessions, 8);
  await virtual.stop();
  return virtual
    .takeSpans()
    .map(({ name, startTime, endTime, attributes }) => JSON.stringify([name, startTime, endTime, attributes]));
};

it.each([
  ["one replica", { CENTSPAN_MAX_SEQUENCES: "4" }],
  ["four replicas", { CENTSPAN_REPLICAS: "4", CENTSPAN_KV_BLOCKS: "40", CENTSPAN_MAX_SEQUENCES: "2" }],
  ["prefill apart", { CENTSPAN_PREFILL_REPLICAS: "1", CENTSPAN_DECODE_REPLICAS: "2" }],
])("does the same at each run, to the nanosecond, with %s", async (_name, settings) => {
  const once = await describeSpans(settings);
  expect(once.filter((span) => span.includes('inference.decode"'))).not.toHaveLength(0);
  expect(await describeSpans(settings)).toEqual(once);
});
