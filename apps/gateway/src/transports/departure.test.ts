import { expect, it } from "vitest";
import { createDeparture } from "./departure.ts";

it("tells each listener once: those that came before, those that come after, and none that stopped listening", () => {
  const departure = createDeparture();
  const told: string[] = [];
  departure.listen(() => told.push("before"));
  const stop = departure.listen(() => told.push("stopped"));
  // One listener may end what another one waits for.
  departure.listen(() => stopLast());
  const stopLast = departure.listen(() => told.push("ended by another"));
  stop();
  expect([departure.happened, told]).toEqual([false, []]);
  departure.tell();
  departure.tell();
  departure.listen(() => told.push("after"));
  expect([departure.happened, told]).toEqual([true, ["before", "after"]]);
});
