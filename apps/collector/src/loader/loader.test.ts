import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import type { Block, BlockStore, SignalTable } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSpool, type Spool } from "../spool/open-spool.ts";
import { createBlock, makeFolder, readBlock, readSpool } from "../testing/blocks.ts";
import { createLoader, type Loader } from "./create-loader.ts";

type Insert = { table: SignalTable; content: string; rows: number; token: string };

/** A store across the network: away when told, refuses what is poisoned, keeps what it took. */
function createPeer() {
  const inserts: Insert[] = [];
  const peer = {
    inserts,
    isAway: false,
    lacksTable: false,
    /** So many inserts are refused, whatever they bring. */
    stumbles: 0,
    attempts: 0,
    running: new Map<SignalTable, number>(),
    overlapped: false,
    async insertBlock(table: SignalTable, block: Block, token: string): Promise<void> {
      peer.attempts += 1;
      const running = (peer.running.get(table) ?? 0) + 1;
      peer.running.set(table, running);
      peer.overlapped ||= running > 1;
      try {
        const content = await readBlock(block);
        if (peer.isAway) throw new CentspanError("store_unavailable", "away");
        if (peer.lacksTable) throw new Error("no such table");
        if (peer.stumbles > 0) {
          peer.stumbles -= 1;
          throw new Error("can't open a file");
        }
        if (content.includes("poison")) throw new Error("can't parse the block");
        inserts.push({ table, content, rows: block.rows, token });
      } finally {
        peer.running.set(table, running - 1);
      }
    },
    contents: (table: SignalTable = "spans"): string =>
      inserts
        .filter((insert) => insert.table === table)
        .map((insert) => insert.content)
        .join(""),
  };
  return peer;
}

type Opened = { folder: string; spool: Spool; loader: Loader; faults: string[] };

async function openBoth(store: BlockStore, at?: string, segmentBytes = 500): Promise<Opened> {
  const folder = at ?? (await makeFolder());
  const faults: string[] = [];
  const shared = { nowMs: Date.now, onFault: (fault: string) => void faults.push(fault) };
  const spool = await openSpool({ folder, maxBytes: 1e9, segmentBytes, ...shared });
  const loader = createLoader({ spool, store, refusedFolder: join(folder, "refused"), ...shared });
  return { folder, spool, loader, faults };
}

const append = (spool: Spool, content: string, table: SignalTable = "spans"): Promise<void> =>
  spool.append([{ table, block: createBlock(content) }]);

const close = async ({ spool, loader }: Opened): Promise<void> => {
  await loader.close(10_000);
  await spool.close();
};

describe("the loader", () => {
  it("brings every table's frames in, in order, a lone one at once", async () => {
    const peer = createPeer();
    const opened = await openBoth(peer);
    const { spool, loader } = opened;
    await append(spool, "first.");
    await waitUntil("it is in", () => peer.contents() === "first.");
    const contents = Array.from({ length: 100 }, (_, index) => `${index} ${"x".repeat(index)}.`);
    for (const content of contents) await append(spool, content);
    await append(spool, "a log", "logs");
    await append(spool, "a point", "metrics");
    await waitUntil("all is in", () => loader.state().frames === 103);
    expect(peer.contents()).toBe(`first.${contents.join("")}`);
    expect([peer.contents("logs"), peer.contents("metrics")]).toEqual(["a log", "a point"]);
    expect(loader.state()).toMatchObject({
      rows: { spans: 101, logs: 1, metrics: 1 },
      refusedFrames: 0,
      isAway: false,
      oldestAtMs: null,
      lastError: null,
    });
    expect(loader.state().lagMs).not.toBeNull();
    expect(new Set(peer.inserts.map((insert) => insert.token)).size).toBe(peer.inserts.length);
    await waitUntil("the spool forgets it", () => spool.state().bytes === 0 && spool.state().segments <= 1);
    expect(peer.overlapped).toBe(false);
    await close(opened);
  });

  it("puts what waits together into one insert", async () => {
    const peer = createPeer();
    const folder = await makeFolder();
    const before = await openSpool({ folder, maxBytes: 1e9, nowMs: Date.now, onFault: () => undefined });
    for (let i = 0; i < 50; i++) await append(before, `${i}.`);
    await before.close();
    const opened = await openBoth(peer, folder);
    await waitUntil("all is in", () => opened.loader.state().frames === 50);
    expect(peer.inserts).toHaveLength(1);
    expect(peer.inserts[0]).toMatchObject({ rows: 50 });
    await close(opened);
  });

  it("keeps nothing aside for a trouble of the store that passes", async () => {
    const peer = createPeer();
    const folder = await makeFolder();
    const before = await openSpool({ folder, maxBytes: 1e9, nowMs: Date.now, onFault: () => undefined });
    for (let i = 0; i < 8; i++) await append(before, `${i}.`);
    await before.close();
    // All eight, the first four, the first two, the first alone.
    peer.stumbles = 4;
    const opened = await openBoth(peer, folder);
    await waitUntil("all is in", () => opened.loader.state().frames === 8);
    expect(opened.loader.state()).toMatchObject({ refusedFrames: 0, rows: { spans: 8 } });
    expect(peer.contents().split(".").sort().join("")).toBe("01234567");
    await close(opened);
  });

  it("asks a store that is away again and again, with the same block under the same token", async () => {
    const peer = createPeer();
    peer.isAway = true;
    const opened = await openBoth(peer);
    const { spool, loader, faults } = opened;
    await append(spool, "kept.");
    await waitUntil("it was asked more than once", () => peer.attempts >= 3);
    expect(loader.state()).toMatchObject({ isAway: true, frames: 0, lastError: { message: "away" } });
    expect(loader.state().oldestAtMs).not.toBeNull();
    expect(faults).toEqual(["loader: spans: away"]);
    peer.isAway = false;
    await waitUntil("it is in", () => peer.contents() === "kept.");
    await waitUntil("it is back", () => !loader.state().isAway);
    await close(opened);
  });

  it("keeps a frame aside that is refused, with the reason, and holds nothing up for it", async () => {
    const peer = createPeer();
    peer.isAway = true;
    const opened = await openBoth(peer);
    const { spool, loader, folder } = opened;
    const contents = ["a.", "b.", "poison.", "c.", "d.", "e.", "poison too.", "f."];
    for (const content of contents) await append(spool, content);
    peer.isAway = false;
    await waitUntil("all is dealt with", () => loader.state().frames === contents.length);
    expect(peer.contents()).toBe("a.b.c.d.e.f.");
    expect(loader.state()).toMatchObject({ refusedFrames: 2, rows: { spans: 6 } });
    const kept = (await readdir(join(folder, "refused"))).sort();
    const blocks = kept.filter((name) => name.endsWith(".native"));
    const texts = await Promise.all(blocks.map((name) => readFile(join(folder, "refused", name), "utf8")));
    expect(texts.sort()).toEqual(["poison too.", "poison."]);
    const report = JSON.parse(await readFile(join(folder, "refused", kept[0] ?? ""), "utf8"));
    expect(report).toMatchObject({ table: "spans", rows: 1, reason: expect.stringContaining("can't parse") });
    await close(opened);
  });

  it("keeps nothing aside while the store refuses everything: it lacks something, not the frames", async () => {
    const peer = createPeer();
    peer.lacksTable = true;
    const opened = await openBoth(peer);
    const { spool, loader, folder } = opened;
    for (let i = 0; i < 40; i++) await append(spool, `${i}.`);
    await append(spool, "poison.");
    await waitUntil("it was asked again", () => peer.attempts > 60);
    expect(loader.state()).toMatchObject({ frames: 0, refusedFrames: 0, isAway: false });
    expect(loader.state().lastError?.message).toMatch(/refuses everything.*no such table/);
    peer.lacksTable = false;
    await waitUntil("all is dealt with", () => loader.state().frames === 41);
    // What was refused while the table was missing comes after what came when it was there again.
    const taken = peer.contents().split(".").slice(0, -1).map(Number);
    expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect((await readdir(join(folder, "refused"))).filter((name) => name.endsWith(".native"))).toHaveLength(1);
    await close(opened);
  });

  it("brings in what is left before it closes", async () => {
    const peer = createPeer();
    const opened = await openBoth(peer);
    for (let i = 0; i < 20; i++) await append(opened.spool, `${i}.`);
    await close(opened);
    expect(peer.inserts.reduce((rows, insert) => rows + insert.rows, 0)).toBe(20);
    const again = await openSpool({ folder: opened.folder, maxBytes: 1e9, nowMs: Date.now, onFault: () => undefined });
    expect(again.state().frames).toBe(0);
    await again.close();
  });

  it("closes at once when the store is away, and leaves the rest for the next start", async () => {
    const peer = createPeer();
    peer.isAway = true;
    const opened = await openBoth(peer);
    await append(opened.spool, "later.");
    await waitUntil("it was asked", () => peer.attempts >= 1);
    await close(opened);
    peer.isAway = false;
    const again = await openBoth(peer, opened.folder);
    await waitUntil("it is in", () => peer.contents() === "later.");
    await close(again);
  });

  it("loses nothing and repeats only whole frames, however crashes, outages and poison fall", {
    timeout: 60_000,
  }, async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("append" as const), poisoned: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("away" as const, "back" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const peer = createPeer();
        let opened = await openBoth(peer, undefined, 150);
        const sent: string[] = [];
        let refused = 0;
        for (const [index, next] of steps.entries()) {
          if (next.do === "append") {
            const isPoisoned = next.poisoned === 0;
            const content = `${isPoisoned ? "poison" : "good"}-${index}.`;
            await append(opened.spool, content);
            if (isPoisoned) refused += 1;
            else sent.push(content);
          } else if (next.do === "restart") {
            await close(opened);
            opened = await openBoth(peer, opened.folder, 150);
          } else peer.isAway = next.do === "away";
        }
        peer.isAway = false;
        // Beside a frame that is taken, those that are not are to blame.
        sent.push("last.");
        await append(opened.spool, "last.");
        await waitUntil("nothing waits", () => opened.spool.state().bytes === 0);
        await close(opened);
        const stored = peer.contents().split(/(?<=\.)/);
        expect(new Set(stored.filter((text) => text !== ""))).toEqual(new Set(sent));
        const kept = await readdir(join(opened.folder, "refused")).catch(() => []);
        expect(kept.filter((name) => name.endsWith(".native")).length).toBe(refused);
        const left = await openSpool({
          folder: opened.folder,
          maxBytes: 1e9,
          nowMs: Date.now,
          onFault: () => undefined,
        });
        expect(await readSpool(left, "spans", left.start)).toEqual([]);
        await left.close();
      }),
      { numRuns: 15 },
    );
  });
});
