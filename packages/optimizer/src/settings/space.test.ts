import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSettings, STEP_TIME } from "../testing/synthetic-traffic.ts";
import { KNOB_IDS, KNOBS, type KnobValue } from "./knobs.ts";
import {
  createSpace,
  drawPoints,
  keyOf,
  listChanges,
  listPoints,
  neighboursOf,
  presentPoint,
  writePoint,
} from "./space.ts";

const drafts = [{ id: "small", parameters: 1e9, stepMs: 1, sequenceMs: 0.01, acceptance: [0.7, 0.6, 0.5, 0.4] }];
const present = createSettings({ speculation: { drafts, draftTokens: 2 }, router: { id: "prefix-affinity" } });
const machines = {
  one: { tensorParallel: 1, stepTime: STEP_TIME, capacityBlocks: 1_200 },
  two: { tensorParallel: 2, stepTime: { ...STEP_TIME, stepMs: 4 }, capacityBlocks: 3_000 },
};

/** Other values of every knob there is. */
const OTHERS: Record<(typeof KNOB_IDS)[number], KnobValue[]> = {
  machine: ["two"],
  replicas: [3],
  split: ["1+2"],
  policy: ["fifo", "loop-aware"],
  capacityBlocks: [500],
  hostBlocks: [4_000],
  maxSequences: [4, 512],
  tokenBudget: [1_024],
  chunkedPrefill: [false],
  router: ["random", "least-load"],
  queueWeight: [0.9],
  decodeWeight: [0.5],
  activeWeight: [2],
  draftTokens: [0, "auto", 4],
  priorities: [false],
};

describe("knobs", () => {
  it.each(KNOB_IDS.flatMap((id) => OTHERS[id].map((value) => [id, value] as const)))(
    "%s: what is written is read, and what is read, written, changes nothing",
    (id, value) => {
      const written = KNOBS[id].write(present, value, machines);
      expect(KNOBS[id].read(written, machines)).toBe(value);
      expect(KNOBS[id].write(present, KNOBS[id].read(present, machines), machines)).toEqual(present);
      // Nothing else moved but what a machine brings with it.
      const moved = KNOB_IDS.filter(
        (other) => KNOBS[other].read(written, machines) !== KNOBS[other].read(present, machines),
      );
      const brought =
        id === "machine" ? ["capacityBlocks"] : id === "router" ? ["queueWeight", "decodeWeight", "activeWeight"] : [];
      expect(moved.filter((other) => other !== id && !brought.includes(other))).toEqual([]);
    },
  );

  it.each([
    ["an unknown knob", { gpus: [1] }, /no knob gpus; known: machine/],
    ["an unknown policy", { policy: ["clever"] }, /clever/],
    ["a router that is not there", { router: ["best"] }, /best/],
    ["half a batch", { maxSequences: [0.5] }, /maxSequences.*0\.5/],
    ["a batch in words", { maxSequences: ["many"] }, /maxSequences.*many/],
    [
      "a machine without step times",
      { machine: ["four"] },
      /machine: no step times are known for "four"; known: one, two/,
    ],
    ["a split that is none", { split: ["2:6"] }, /split/],
    ["no replica for prompts", { split: ["0+6"] }, /split/],
    ["a switch with a number", { chunkedPrefill: [1] }, /chunkedPrefill/],
    ["a weight in words", { queueWeight: ["high"] }, /queueWeight/],
  ])("refuse %s when the space is made", (_what, values, message) => {
    expect(() => createSpace(present, values, machines)).toThrow(message);
  });

  it("refuse drafts where no draft model is known", () => {
    expect(() => createSpace(createSettings(), { draftTokens: [2] })).toThrow(/draftTokens: no draft model/);
  });
});

describe("a space", () => {
  const values = fc.record(
    Object.fromEntries(KNOB_IDS.map((id) => [id, fc.subarray(OTHERS[id], { minLength: 1 })] as const)),
    { requiredKeys: [] },
  );

  it("holds the present settings, unchanged, and draws points without repetition", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), fc.nat(), (chosen, count, seed) => {
        const space = createSpace(present, chosen, machines);
        expect(writePoint(space, presentPoint(space))).toEqual(present);
        const drawn = drawPoints(space, count, seed);
        expect(drawn).toEqual(drawPoints(space, count, seed));
        expect(new Set(drawn.map((point) => keyOf(space, point))).size).toBe(drawn.length);
        expect(drawn[0]).toEqual(presentPoint(space));
        for (const point of drawn) expect(point).toHaveLength(space.knobs.length);
      }),
      { numRuns: 60 },
    );
  });

  it("is drawn whole when it is smaller than what is asked for", () => {
    const space = createSpace(present, { policy: ["fifo", "arc"], maxSequences: [8, 16], chunkedPrefill: [false] });
    const all = new Set(listPoints(space).map((point) => keyOf(space, point)));
    expect(all.size).toBe(18);
    expect(new Set(drawPoints(space, 100, 7).map((point) => keyOf(space, point)))).toEqual(all);
  });

  it("counts settings once that a router does not know the weights of", () => {
    const space = createSpace(createSettings({ router: { id: "random" } }), { queueWeight: [0.1, 0.9] });
    expect(drawPoints(space, 10, 1)).toHaveLength(1);
  });

  it("has neighbours that differ in one knob", () => {
    const space = createSpace(present, { policy: ["fifo", "arc"], maxSequences: [8] });
    const neighbours = neighboursOf(space, presentPoint(space));
    expect(neighbours).toHaveLength(3);
    for (const point of neighbours) expect(listChanges(space, presentPoint(space), point)).toHaveLength(1);
  });
});
