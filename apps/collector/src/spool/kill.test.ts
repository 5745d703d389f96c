/** A collector that is killed at any moment: what it said was durable is there, in order, and nothing else. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeFolder, readSpool } from "../testing/blocks.ts";
import { openSpool } from "./open-spool.ts";

const SCRIPT = fileURLToPath(new URL("../testing/append-forever.ts", import.meta.url));
const ROUNDS = 5;

it("kill -9, again and again", { timeout: 60_000 }, async () => {
  const folder = await makeFolder();
  const said = { durable: -1, released: -1 };
  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, ["--import", "tsx", SCRIPT, folder, String(said.durable + 1)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await killAfter(child, 20 + round * 37, said);
    const spool = await openSpool({ folder, maxBytes: 1e9, nowMs: Date.now, onFault: () => undefined });
    const found = (await readSpool(spool, "spans", spool.start)).map((content) => Number.parseInt(content, 10));
    const first = found[0] ?? Number.NaN;
    // In order and without a gap, from at most one behind what was released to at least what was durable.
    expect(found).toEqual(found.map((_, index) => first + index));
    expect(first).toBeLessThanOrEqual(said.released + 1);
    expect(found.at(-1)).toBeGreaterThanOrEqual(said.durable);
    said.durable = found.at(-1) ?? said.durable;
    await spool.close();
  }
  expect(said.durable).toBeGreaterThan(ROUNDS * 20);
});

/** Reads what the child says, kills it in the middle of its work, and reads the rest. */
async function killAfter(child: ChildProcess, lines: number, said: Record<string, number>): Promise<void> {
  if (child.stdout === null) throw new Error("its output is a pipe");
  const gone = once(child, "close");
  let read = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = "", number = ""] = line.split(" ");
    said[word] = Number(number);
    read += 1;
    if (read === lines) child.kill("SIGKILL");
  }
  await gone;
  expect(read).toBeGreaterThanOrEqual(lines);
}
