import { copyFile, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBlock, makeFolder, readSpool } from "../testing/blocks.ts";
import { openSpool, type Spool } from "./open-spool.ts";

const open = (
  folder: string,
  segmentBytes?: number,
  onFault: (message: string) => void = () => undefined,
): Promise<Spool> =>
  openSpool({
    folder,
    maxBytes: 1e9,
    nowMs: Date.now,
    onFault,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });

const append = (spool: Spool, content: string): Promise<void> =>
  spool.append([{ table: "spans", block: createBlock(content) }]);

/** The files of a spool as a crash would leave them, while it is still open. */
async function snapshot(folder: string): Promise<string> {
  const copy = await makeFolder();
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".sock")) await copyFile(join(folder, name), join(copy, name));
  }
  return copy;
}

const segmentsOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".segment")).sort();

async function recover(folder: string): Promise<string[]> {
  const spool = await open(folder);
  const contents = await readSpool(spool);
  await spool.close();
  return contents;
}

describe("after a crash", () => {
  it("everything that was acknowledged is there, in order", async () => {
    const folder = await makeFolder();
    const spool = await open(folder, 100);
    const contents = Array.from({ length: 30 }, (_, index) => `frame ${index} ${"x".repeat(index)}`);
    for (const content of contents) await append(spool, content);
    const copy = await snapshot(folder);
    await spool.close();
    expect(await recover(copy)).toEqual(contents);
    expect(await recover(copy)).toEqual(contents);
  });

  it("a frame that is cut at any byte is left out, and everything before it is there", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "whole");
    const before = spool.state().bytes;
    await append(spool, "the last frame");
    const copy = await snapshot(folder);
    await spool.close();
    const [segment = ""] = await segmentsOf(copy);
    const bytes = await readFile(join(copy, segment));
    for (let length = before; length < bytes.length; length++) {
      await writeFile(join(copy, segment), bytes.subarray(0, length));
      expect(await recover(copy), `cut at ${length}`).toEqual(["whole"]);
      // Recycled files go on behind the cut, with whatever they held before.
      await writeFile(join(copy, segment), Buffer.concat([bytes.subarray(0, length), Buffer.alloc(500, 0x5a)]));
      expect(await recover(copy), `garbage from ${length}`).toEqual(["whole"]);
    }
    await writeFile(join(copy, segment), bytes);
    expect(await recover(copy)).toEqual(["whole", "the last frame"]);
  });

  it("any changed bit of a frame is noticed", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "whole");
    const before = spool.state().bytes;
    await append(spool, "changed");
    const copy = await snapshot(folder);
    await spool.close();
    const [segment = ""] = await segmentsOf(copy);
    const bytes = await readFile(join(copy, segment));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: before, max: bytes.length - 1 }), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        await writeFile(join(copy, segment), changed);
        expect(await recover(copy)).toEqual(["whole"]);
      }),
      { numRuns: 60 },
    );
  });

  it("what is damaged costs the frame that it is in, is kept and is said once, wherever it lies", async () => {
    const frames = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(frames, fc.nat(), fc.nat(7), fc.nat(5), async (lengths, place, bit, loaded) => {
        const folder = await makeFolder();
        const spool = await open(folder);
        const contents = lengths.map((length, index) => `${index}`.repeat(length));
        const ends: number[] = [];
        for (const content of contents) {
          await append(spool, content);
          ends.push(spool.end().offset);
        }
        const inStore = loaded % contents.length;
        if (inStore > 0) await spool.release({ generation: 1, offset: ends[inStore - 1] ?? 0 });
        const copy = await snapshot(folder);
        await spool.close();
        const path = join(copy, "000000000001.segment");
        const bytes = await readFile(path);
        // Of the last one nobody can tell whether it was ever whole.
        const at = place % (ends.at(-2) ?? 1);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        await writeFile(path, bytes);
        const damaged = ends.findIndex((end) => at < end);
        const left = contents.filter((_, index) => index >= inStore && index !== damaged);
        const said = damaged < inStore ? [] : [expect.stringContaining("damaged from byte")];
        for (const expected of [said, []]) {
          const faults: string[] = [];
          const again = await open(copy, undefined, (message) => faults.push(message));
          expect(await readSpool(again, "spans", again.start)).toEqual(left);
          expect(again.state().frames).toBe(left.length);
          await again.close();
          expect(faults).toEqual(expected);
        }
        expect((await readdir(copy)).filter((name) => name.endsWith(".damaged"))).toHaveLength(said.length);
      }),
      { numRuns: 60 },
    );
  });

  it("what earlier uses of a file left behind is never read, whatever was written over it", async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lengths, lengths, async (first, second) => {
        const folder = await makeFolder();
        const spool = await open(folder, 10_000);
        for (const length of first) await append(spool, "o".repeat(length));
        await spool.release(spool.end());
        await spool.close();
        const again = await open(folder, 10_000);
        for (const length of second) await append(again, "n".repeat(length));
        const copy = await snapshot(folder);
        await again.close();
        expect(await segmentsOf(copy)).toHaveLength(1);
        expect(await recover(copy)).toEqual(second.map((length) => "n".repeat(length)));
      }),
      { numRuns: 30 },
    );
  });

  it("a file under the name of another generation counts for nothing", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "x");
    await spool.close();
    const [segment = ""] = await segmentsOf(folder);
    await rename(join(folder, segment), join(folder, "000000000007.segment"));
    expect(await recover(folder)).toEqual([]);
    // Its number is not used again.
    const next = await open(folder);
    await append(next, "y");
    expect(await segmentsOf(folder)).toEqual(["000000000008.segment"]);
    await next.close();
  });

  it("what the store had confirmed is not repeated", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "in the store");
    const { next } = await spool.find("spans", spool.start, { rows: 1e9, bytes: 1e9, frames: 1 });
    await append(spool, "not yet");
    await spool.release(next);
    const copy = await snapshot(folder);
    await spool.close();
    const again = await open(copy);
    expect(again.state().frames).toBe(1);
    expect(await readSpool(again, "spans", again.start)).toEqual(["not yet"]);
    await again.close();
  });

  it("a damaged checkpoint only means that more is repeated", async () => {
    const folder = await makeFolder();
    const spool = await open(folder);
    await append(spool, "x");
    await spool.release({ ...spool.end(), offset: 1 });
    const copy = await snapshot(folder);
    await spool.close();
    await writeFile(join(copy, "loaded"), "nonsense that is long enough");
    expect(await recover(copy)).toEqual(["x"]);
  });

  it("other files in the folder disturb nobody", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "notes.txt"), "mine");
    await mkdir(join(folder, "refused"));
    await writeFile(join(folder, "lock-00ff.sock"), "no socket");
    expect(await recover(folder)).toEqual([]);
    expect(await readdir(folder)).toContain("notes.txt");
  });
});
