import { expect, it } from "vitest";
import { hold } from "./held.ts";

it("gives what it holds until that is let go, and then to nobody", () => {
  const held = hold({ a: 1 });
  expect([held.get(), held.isGone()]).toEqual([{ a: 1 }, false]);
  held.letGo();
  held.letGo();
  expect(held.isGone()).toBe(true);
  expect(() => held.get()).toThrow("gone");
});
