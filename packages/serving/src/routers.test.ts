/** Laws for every router, and what each is for. */
import { createRandom } from "@centspan/base";
import type { ReplicaView } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { createRouter, findRouter, routers } from "./index.ts";

type State = { waiting?: number; running?: number; queued?: number; active?: number; hits?: number; speed?: number };

const view = ({ waiting = 0, running = 0, queued = 0, active = 0, hits = 0, speed = 1 }: State): ReplicaView => ({
  speed,
  waiting: () => waiting,
  running: () => running,
  queuedTokens: () => queued,
  activeBlocks: () => active,
  countHits: () => hits,
});
const request = { promptTokens: 640, blockKeys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], blockTokens: 64 };
const open = (id: string, settings: Record<string, number> = {}) => createRouter({ id, settings }, createRandom(1));

/** How many of so many requests each replica gets, none of which ever ends. */
function share(id: string, count: number, states: State[], settings: Record<string, number> = {}): number[] {
  const router = open(id, settings);
  const given = states.map(() => 0);
  for (let n = 0; n < count; n++) {
    const views = states.map((state, at) =>
      view({ ...state, running: given[at] ?? 0, active: 10 * (given[at] ?? 0), hits: (given[at] ?? 0) > 0 ? 8 : 0 }),
    );
    const chosen = router.choose(request, views);
    given[chosen] = (given[chosen] ?? 0) + 1;
  }
  return given;
}

describe.each(routers.map((plugin) => [plugin.id, plugin] as const))("%s", (id, plugin) => {
  it("chooses a replica that is there, the same in every replay", () => {
    const states = Array.from({ length: 5 }, (_, at) => ({ waiting: at, speed: 1 + at / 10 }));
    const choose = (): number[] => {
      const router = open(id);
      return Array.from({ length: 50 }, () => router.choose(request, states.map(view)));
    };
    expect(choose().every((index) => index >= 0 && index < 5)).toBe(true);
    expect(choose()).toEqual(choose());
    expect(open(id).choose(request, [view({})])).toBe(0);
  });

  it("describes itself, and refuses settings that it does not have", () => {
    expect(plugin.describe.length).toBeGreaterThan(20);
    expect(findRouter(id)).toBe(plugin);
    expect(() => open(id, { nothing: 1 })).toThrow(expect.objectContaining({ field: "router.settings.nothing" }));
  });
});

it("names the known routers when asked for another", () => {
  expect(() => findRouter("sticky")).toThrow(/least-load, prefix-affinity/);
});

it("round-robin gives all the same", () => {
  expect(share("round-robin", 9, [{}, { speed: 0.1 }, {}])).toEqual([3, 3, 3]);
});

it("least-load evens out what is under way, slower machines having less", () => {
  expect(share("least-load", 9, [{}, {}, {}])).toEqual([3, 3, 3]);
  const [fast = 0, slow = 0] = share("least-load", 90, [{}, { speed: 0.5 }]);
  expect(fast / slow).toBeCloseTo(2, 1);
});

describe("prefix affinity", () => {
  it("goes where the prefix is when loads are alike, and elsewhere when that costs more", () => {
    const router = open("prefix-affinity", { decodeWeight: 1, queueWeight: 1 });
    expect(router.choose(request, [view({}), view({ hits: 6 })])).toBe(1);
    expect(router.choose(request, [view({ active: 5 }), view({ active: 10, hits: 6 })])).toBe(1);
    expect(router.choose(request, [view({ active: 5 }), view({ active: 12, hits: 6 })])).toBe(0);
    expect(router.choose(request, [view({}), view({ queued: 640, hits: 6 })])).toBe(0);
  });

  it("without load terms collapses onto one replica when everybody shares a system prompt; with them it spreads", () => {
    const noLoad = { decodeWeight: 0, queueWeight: 0, activeWeight: 0 };
    expect(share("prefix-affinity", 40, [{}, {}, {}, {}], noLoad)).toEqual([40, 0, 0, 0]);
    for (const given of share("prefix-affinity", 40, [{}, {}, {}, {}])) expect(given).toBe(10);
  });
});

it("estimated-prefix remembers what it sent, and forgets what was sent longest ago", () => {
  const router = open("estimated-prefix", { decodeWeight: 0, queueWeight: 0, rememberedBlocks: 10 });
  const other = { ...request, blockKeys: request.blockKeys.map((key) => key + 100) };
  // The first replica is taken by default; the second one has what was sent there while the first was slow.
  expect(router.choose(request, [view({ speed: 0.1 }), view({})])).toBe(1);
  expect(router.choose(request, [view({}), view({})])).toBe(1);
  expect(router.choose(other, [view({ speed: 0.1 }), view({})])).toBe(1);
  expect(router.choose(request, [view({}), view({})])).toBe(0);
});

it("generation-weighted moves share from a CPU generation that is slower", () => {
  // 20% longer to the first token: a speed of 1 ÷ 1.2.
  const [fast = 0, slow = 0] = share("generation-weighted", 1_000, [{}, { speed: 1 / 1.2 }]);
  expect(fast / slow).toBeCloseTo(1.44, 1);
  expect(share("generation-weighted", 10, [{}, {}])).toEqual([5, 5]);
});
