/** Chats that go on, made of a seed: users with a prompt of their own, Poisson arrivals, a part of them batch work. */
import { createRandom } from "@centspan/base";
import { type ServingRequest, simulationConfigSchema } from "@centspan/serving";
import type { Settings } from "../settings/knobs.ts";
import type { Traffic } from "../traffic/traffic.ts";

export type SyntheticOptions = {
  seed: number;
  requests: number;
  perS?: number;
  users?: number;
  systemBlocks?: number;
  batchShare?: number;
  /** 1: all users alike; larger: few make most of the requests. */
  skew?: number;
};

export const BLOCK_TOKENS = 64;

export function createSyntheticTraffic(options: SyntheticOptions): Traffic {
  const { seed, requests: count, perS = 6, users = 60, systemBlocks = 12, batchShare = 0, skew = 1 } = options;
  const random = createRandom(seed);
  const lengths = new Map<number, number>();
  let fresh = 1_000_000;
  const chains = new Map<number, number[]>();
  let atNs = 0;
  const requests = Array.from({ length: count }, (_, at): ServingRequest => {
    atNs += (-Math.log(1 - random.next()) / perS) * 1e9;
    const user = Math.floor(users * random.next() ** skew);
    const turns = lengths.get(user) ?? 0;
    const before =
      turns === 0 ? Array.from({ length: systemBlocks }, (_, depth) => user * 1_000 + depth) : (chains.get(user) ?? []);
    const blockKeys = [...before, ...Array.from({ length: 1 + random.integer(6) }, () => fresh++)];
    // A chat ends after some turns; its user's next one begins with the same system prompt.
    lengths.set(user, turns >= 3 + random.integer(6) ? 0 : turns + 1);
    chains.set(user, blockKeys);
    return {
      id: `r${at}`,
      arrivalNs: Math.round(atNs),
      promptTokens: blockKeys.length * BLOCK_TOKENS + random.integer(BLOCK_TOKENS),
      outputTokens: 1 + random.integer(200),
      blockKeys,
      ...(random.next() < batchShare ? { priority: "batch" as const } : {}),
    };
  });
  return { kind: "open", blockTokens: BLOCK_TOKENS, requests };
}

/** Step times that are stated, not fitted: no range to leave. */
export const STEP_TIME = {
  stepMs: 6,
  decodeSequenceMs: 0.05,
  per1000ContextTokensMs: 0.05,
  prefillTokenMs: 0.03,
  perMillionPrefillPairsMs: 0.6,
};

type Given = Partial<Omit<Settings, "engine" | "router">> & {
  engine?: Partial<Settings["engine"]>;
  router?: Partial<Settings["router"]> & { id: string };
};

export function createSettings({ priorities = true, ...given }: Given = {}): Settings {
  const base = { stepTime: STEP_TIME, replicas: 2, engine: { blockTokens: BLOCK_TOKENS, capacityBlocks: 1_200 } };
  return {
    ...simulationConfigSchema.parse({ ...base, ...given, engine: { ...base.engine, ...given.engine } }),
    priorities,
  };
}
