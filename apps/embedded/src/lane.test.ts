import { expect, it } from "vitest";
import { Lane } from "./lane.ts";

const never = new AbortController().signal;

function gate() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}

it("runs as many as it has places, then in order of arrival", async () => {
  const lane = new Lane(["a", "b"], 10);
  const order: string[] = [];
  const gates = [gate(), gate(), gate(), gate()];
  const runs = gates.map(({ promise }, index) =>
    lane.use(never, async (place) => {
      order.push(`${index} on ${place}`);
      await promise;
    }),
  );
  expect(order).toEqual(["0 on b", "1 on a"]);
  gates[1]?.open();
  await runs[1];
  await expect.poll(() => order).toEqual(["0 on b", "1 on a", "2 on a"]);
  for (const { open } of gates) open();
  await Promise.all(runs);
  expect(order).toHaveLength(4);
});

it("refuses what its queue can't hold, and frees the place of whoever stops waiting", async () => {
  const lane = new Lane([1], 1);
  const held = gate();
  const first = lane.use(never, () => held.promise);
  const leaver = new AbortController();
  const second = lane.use(leaver.signal, async () => "ran");
  await expect(lane.use(never, async () => "ran")).rejects.toMatchObject({ code: 202 });
  leaver.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  const third = lane.use(never, async () => "ran");
  held.open();
  await first;
  expect(await third).toBe("ran");
});

it("gives a place back after a failure", async () => {
  const lane = new Lane([1], 1);
  await expect(lane.use(never, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await lane.use(never, async (place) => place)).toBe(1);
});
