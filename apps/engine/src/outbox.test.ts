import { CentspanError } from "@centspan/base";
import { expect, it } from "vitest";
import { createOutbox } from "./outbox.ts";

function createLog(id: string, log: string[]) {
  return {
    onToken: (index: number) => void log.push(`${id} token ${index}`),
    onFinished: () => void log.push(`${id} finished`),
    onFailed: (error: CentspanError) => void log.push(`${id} failed ${error.code}`),
  };
}

it("hands out nothing before its instant, and then everything in order", () => {
  const log: string[] = [];
  const outbox = createOutbox();
  outbox.expect("a", createLog("a", log));
  outbox.put(10n, [{ type: "token", id: "a", index: 0, atNs: 10 }]);
  outbox.put(20n, [
    { type: "token", id: "a", index: 1, atNs: 20 },
    { type: "finished", id: "a", atNs: 20 },
  ]);
  outbox.deliver(9n);
  expect(log).toEqual([]);
  outbox.deliver(19n);
  expect(log).toEqual(["a token 0"]);
  expect(outbox.isEmpty()).toBe(false);
  outbox.deliver(20n);
  expect(log).toEqual(["a token 0", "a token 1", "a finished"]);
  expect(outbox.isEmpty()).toBe(true);
});

it("tells each receiver of exactly one end, and a forgotten one of nothing", () => {
  const log: string[] = [];
  const outbox = createOutbox();
  for (const id of ["done", "gone", "open"]) outbox.expect(id, createLog(id, log));
  outbox.put(1n, [
    { type: "finished", id: "done", atNs: 1 },
    { type: "token", id: "gone", index: 0, atNs: 1 },
    { type: "token", id: "open", index: 0, atNs: 1 },
  ]);
  outbox.forget("gone");
  outbox.deliver(1n);
  outbox.put(2n, [{ type: "finished", id: "open", atNs: 2 }]);
  outbox.failAll(new CentspanError("not_ready", "stopping"));
  outbox.deliver(3n);
  expect(log).toEqual(["done finished", "open token 0", "open failed not_ready"]);
});
