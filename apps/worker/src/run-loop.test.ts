import { waitUntil } from "@centspan/testing";
import { describe, expect, it } from "vitest";
import { startLoop } from "./run-loop.ts";

const QUICK = { intervalMs: 1, maxPauseMs: 4 };

describe("the loop", () => {
  it("goes on at once while there is work, and rests when there is none", async () => {
    let passes = 0;
    const loop = startLoop({ pass: async () => ++passes < 5, intervalMs: 3_600_000, maxPauseMs: 1, say: () => {} });
    await waitUntil("five passes", () => passes === 5);
    await loop.stop();
    expect(passes).toBe(5);
  });

  it("says a failure once, tries on, and says the recovery", async () => {
    const said: string[] = [];
    let passes = 0;
    const loop = startLoop({
      ...QUICK,
      async pass() {
        passes += 1;
        if (passes <= 4) throw new Error("the store is away");
        return false;
      },
      say: (text) => said.push(text),
    });
    await waitUntil("a failure", () => loop.failure() instanceof Error);
    await waitUntil("the recovery", () => passes >= 6);
    expect(loop.failure()).toBeNull();
    await loop.stop();
    expect(said).toEqual(["fails, and is repeated until it works: the store is away", "works again"]);
  });

  it("rests no longer where somebody waits, be it in the middle of a pass", async () => {
    let passes = 0;
    let finish = (): void => {};
    const loop = startLoop({
      pass: () => {
        passes += 1;
        return new Promise<boolean>((resolve) => {
          finish = () => resolve(false);
        });
      },
      intervalMs: 3_600_000,
      maxPauseMs: 1,
      say: () => {},
    });
    await waitUntil("the first pass", () => passes === 1);
    loop.hurry();
    finish();
    await waitUntil("the second pass", () => passes === 2);
    finish();
    await waitUntil("the third pass, from its rest", () => {
      loop.hurry();
      return passes === 3;
    });
    finish();
    await loop.stop();
  });

  it("ends its pass before it stops", async () => {
    let finish = (): void => {};
    let finished = false;
    const loop = startLoop({
      ...QUICK,
      async pass() {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        finished = true;
        return true;
      },
      say: () => {},
    });
    const stopped = loop.stop();
    finish();
    await stopped;
    expect(finished).toBe(true);
  });
});
