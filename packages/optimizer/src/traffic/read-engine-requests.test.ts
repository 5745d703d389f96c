import type { EngineRequest } from "@centspan/model";
import { writeBlockKeys } from "@centspan/serving";
import { describe, expect, it } from "vitest";
import { readEngineRequests } from "./read-engine-requests.ts";

const MS = 1_000_000n;
const request = (given: Partial<EngineRequest> & { atMs: number; endMs?: number }): EngineRequest => {
  const { atMs, endMs = atMs + 100, ...rest } = given;
  return {
    ...{ service: "engine", traceId: "t", timeScale: 1, promptTokens: 200, outputTokens: 20, knownBlocks: 0 },
    ...{ blockKeys: "", priority: "interactive", thread: "" },
    ...{ arrivedAtNs: BigInt(atMs) * MS, endedAtNs: BigInt(endMs) * MS },
    ...rest,
  };
};
const keys = (known: number, ...all: string[]) => {
  const { knownBlocks, keys: blockKeys } = writeBlockKeys(all, known);
  return { knownBlocks, blockKeys };
};
const read = (requests: readonly EngineRequest[]) => readEngineRequests(requests, { blockTokens: 64 });

describe("traffic by what an engine says of its requests", () => {
  it("is arrivals as they were, where nobody's requests follow each other, in the time of the machine", () => {
    const { traffic } = read([
      request({ atMs: 1_000, timeScale: 0.5, ...keys(0, "a", "b") }),
      request({ atMs: 1_050, timeScale: 0.5, ...keys(2, "a", "b", "c"), priority: "batch" }),
    ]);
    if (traffic.kind !== "open") return expect.fail("sessions of requests that are alone");
    expect(traffic.requests).toMatchObject([
      { arrivalNs: 0, promptTokens: 200, priority: "interactive" },
      { arrivalNs: 100_000_000, priority: "batch" },
    ]);
    const [first, second] = traffic.requests;
    expect(second?.blockKeys.slice(0, 2)).toEqual(first?.blockKeys);
  });

  it("is sessions with their waits, as many at a time as there were, where threads go on", () => {
    const turns = (thread: string, fromMs: number) =>
      Array.from({ length: 4 }, (_, turn) =>
        request({ atMs: fromMs + turn * 150, thread, ...keys(0, `${thread}${turn}`) }),
      );
    const requests = [turns("r a", 0), turns("r b", 10), turns("r c", 600), turns("r d", 610)].flat();
    const { traffic } = read(requests.toSorted((a, b) => Number(a.arrivedAtNs - b.arrivedAtNs)));
    if (traffic.kind !== "closed") return expect.fail("no sessions");
    expect(traffic.concurrent).toBe(2);
    expect(traffic.sessions).toHaveLength(4);
    expect(traffic.sessions[0]?.thread.map(({ gapNs }) => gapNs)).toEqual([0, 50_000_000, 50_000_000, 50_000_000]);
    expect(traffic.sessions[0]?.thread[0]?.thread).toEqual({ runId: "r", threadId: "a" });
  });

  it("says what is wrong with it, and leaves out what did not end", () => {
    const { evidence, arrivedAtNs } = read([
      request({ atMs: 0, ...keys(0, "a") }),
      request({ atMs: 5, endedAtNs: null, ...keys(1, "a", "b") }),
      request({ atMs: 10, endMs: 5 }),
      request({ atMs: 20, promptTokens: 12 }),
    ]);
    expect(evidence).toEqual({ requests: 3, withoutFingerprints: 1, backwards: 1 });
    expect(arrivedAtNs).toEqual([0n, 10n * MS, 20n * MS]);
  });
});

describe("keys of larger blocks than the engine's", () => {
  it("are those of their parts, and requests that came before they were asked have another clock", () => {
    const { requests, evidence } = readEngineRequests(
      [
        { ...request({ atMs: 0, ...keys(0, "a", "b") }), askedAtNs: 5n * MS },
        { ...request({ atMs: 10, promptTokens: 40 }), askedAtNs: 9n * MS },
        { ...request({ atMs: 20, ...keys(1, "a", "c") }), askedAtNs: null },
      ],
      { blockTokens: 32, keyTokens: 64 },
    );
    const [first, , third] = requests.map(({ blockKeys }) => blockKeys);
    expect([first?.length, third?.length]).toEqual([4, 4]);
    expect(third?.slice(0, 2)).toEqual(first?.slice(0, 2));
    expect(third?.slice(2)).not.toEqual(first?.slice(2));
    expect(evidence).toEqual({ requests: 3, withoutFingerprints: 0, backwards: 1 });
    expect(() => readEngineRequests([], { blockTokens: 48, keyTokens: 64 })).toThrow("engine.blockTokens: 48");
  });
});
