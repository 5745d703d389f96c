import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBlock, makeFolder, readBlock, readSpool } from "../testing/blocks.ts";
import { NOWHERE } from "./checkpoint.ts";
import { openSpool, type Spool } from "./open-spool.ts";

const MEBIBYTE = 1024 * 1024;
const faults: string[] = [];

type Options = { maxBytes?: number; segmentBytes?: number };
const open = (folder: string, options: Options = {}): Promise<Spool> =>
  openSpool({
    folder,
    maxBytes: 64 * MEBIBYTE,
    nowMs: () => 1_790_000_000_000,
    onFault: (fault) => faults.push(fault),
    ...options,
  });

const append = (spool: Spool, content: string): Promise<void> =>
  spool.append([{ table: "spans", block: createBlock(content) }]);

describe("a spool", () => {
  it("gives back what was appended, in order, by table", async () => {
    const spool = await open(await makeFolder());
    await spool.append([
      { table: "spans", block: createBlock("first", 2) },
      { table: "logs", block: createBlock("a log") },
      { table: "metrics", block: createBlock("") },
    ]);
    await append(spool, "second");
    expect(await readSpool(spool)).toEqual(["first", "second"]);
    expect(await readSpool(spool, "logs")).toEqual(["a log"]);
    expect(await readSpool(spool, "metrics")).toEqual([""]);
    const { frames } = await spool.find("spans", NOWHERE, { rows: 10, bytes: 100, frames: 10 });
    const joined = spool.join(frames);
    expect(joined).toMatchObject({ rows: 3, bytes: 11 });
    expect([await readBlock(joined), await readBlock(joined)]).toEqual(["firstsecond", "firstsecond"]);
    await spool.close();
  });

  it("keeps the order of appends that come at once, over many segments", async () => {
    const spool = await open(await makeFolder(), { segmentBytes: 300 });
    const contents = Array.from({ length: 200 }, (_, index) => `frame ${index} ${"x".repeat(index)}`);
    await Promise.all(contents.map((content) => append(spool, content)));
    const rounds = contents.map((content) => `again ${content}`);
    for (const content of rounds) await append(spool, content);
    expect(await readSpool(spool)).toEqual([...contents, ...rounds]);
    expect(spool.state().segments).toBeGreaterThan(20);
    await spool.close();
  });

  it("takes a frame that is larger than a segment, and reads it in pieces", async () => {
    const folder = await makeFolder();
    const spool = await open(folder, { segmentBytes: 1000 });
    const large = "0123456789".repeat(500_000);
    await append(spool, "before");
    await append(spool, large);
    await append(spool, "after");
    expect(await readSpool(spool)).toEqual(["before", large, "after"]);
    await spool.close();
    const again = await open(folder);
    expect(await readSpool(again)).toEqual(["before", large, "after"]);
    await again.close();
  });

  it("finds as much as asked for, and where to go on", async () => {
    const spool = await open(await makeFolder(), { segmentBytes: 200 });
    for (let i = 0; i < 10; i++) {
      await append(spool, `${i}`.repeat(20));
      await spool.append([{ table: "logs", block: createBlock("between") }]);
    }
    const sizes: number[] = [];
    for (let from = NOWHERE; spool.isBehind("spans", from); ) {
      const { frames, next } = await spool.find("spans", from, { rows: 3, bytes: 1000, frames: 100 });
      sizes.push(frames.length);
      from = next;
    }
    expect(sizes).toEqual([3, 3, 3, 1]);
    expect((await spool.find("spans", NOWHERE, { rows: 100, bytes: 45, frames: 100 })).frames).toHaveLength(2);
    expect((await spool.find("spans", NOWHERE, { rows: 100, bytes: 1, frames: 1 })).frames).toHaveLength(1);
    await spool.close();
  });

  it("tells who waits for more of their table", async () => {
    const spool = await open(await makeFolder());
    const patience = new AbortController();
    let told = false;
    const waiting = spool.waitBehind("logs", NOWHERE, patience.signal).then(() => {
      told = true;
    });
    await append(spool, "a span");
    expect(told).toBe(false);
    await spool.append([{ table: "logs", block: createBlock("a log") }]);
    await waiting;
    const given = spool.waitBehind("metrics", NOWHERE, patience.signal);
    patience.abort();
    await given;
    await spool.close();
  });
});

describe("its bound", () => {
  it("refuses more, retryably, until the store has taken some", async () => {
    const spool = await open(await makeFolder(), { maxBytes: 1000 });
    await append(spool, "x".repeat(600));
    await expect(append(spool, "y".repeat(600))).rejects.toMatchObject({ code: "store_unavailable", retryAfterS: 5 });
    expect(spool.state().refusal?.error.message).toContain("already wait");
    await append(spool, "y".repeat(60));
    expect(spool.state().refusal).toBeNull();
    await spool.release(spool.end());
    expect(spool.state().bytes).toBe(0);
    await append(spool, "y".repeat(600));
    await spool.close();
  });

  it("lets one write through that is larger than all of it, when nothing else waits", async () => {
    const spool = await open(await makeFolder(), { maxBytes: 1000 });
    await append(spool, "x".repeat(5000));
    await expect(append(spool, "y")).rejects.toMatchObject({ code: "store_unavailable" });
    await spool.close();
  });
});

describe("its files", () => {
  it("are readable by their owner only", async () => {
    const folder = join(await makeFolder(), "deep", "spool");
    const spool = await open(folder);
    await append(spool, "x");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of (await readdir(folder)).filter((file) => !file.endsWith(".sock"))) {
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    }
    await spool.close();
  });

  it("have one owner", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await expect(open(folder)).rejects.toThrow(/in use by another collector/);
    await append(spool, "still works");
    await spool.close();
    const next = await open(folder);
    expect(await readSpool(next)).toEqual(["still works"]);
    await next.close();
  });

  it("are used again, a bounded number of them, and forget what the store has", async () => {
    const folder = await makeFolder();
    const spool = await open(folder, { segmentBytes: 100 });
    for (let i = 0; i < 40; i++) await append(spool, "x".repeat(100));
    await spool.release(spool.end());
    const count = async (kind: string): Promise<number> =>
      (await readdir(folder)).filter((name) => name.endsWith(kind)).length;
    expect(await count(".spare")).toBe(8);
    for (let i = 0; i < 4; i++) await append(spool, "y".repeat(50));
    expect(await count(".spare")).toBeLessThan(8);
    await spool.close();
    const again = await open(folder);
    expect(await readSpool(again, "spans", again.start)).toEqual(Array.from({ length: 4 }, () => "y".repeat(50)));
    expect(again.state().frames).toBe(4);
    await again.close();
  });

  it("hold nothing any more when the store has everything", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "x");
    await spool.release(spool.end());
    await spool.close();
    const again = await open(folder);
    expect(again.state()).toMatchObject({ bytes: 0, frames: 0, segments: 0 });
    await append(again, "y");
    expect(await readSpool(again)).toEqual(["y"]);
    await again.close();
  });
});

it("reports no faults where there are none", () => {
  expect(faults).toEqual([]);
});
