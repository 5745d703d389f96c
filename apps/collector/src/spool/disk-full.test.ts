/** A real disk that is full: a small tmpfs, where this user may mount one. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBlock, makeFolder, readSpool } from "../testing/blocks.ts";
import type { Position } from "./checkpoint.ts";
import { openSpool, type Spool } from "./open-spool.ts";

const MEBIBYTE = 1024 * 1024;

async function mountSmallDisk(): Promise<string | null> {
  const disk = join(await makeFolder(), "disk");
  await mkdir(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", disk]);
  });
  return disk;
}

const open = (folder: string): Promise<Spool> =>
  openSpool({ folder, maxBytes: 1e9, segmentBytes: MEBIBYTE, nowMs: Date.now, onFault: () => undefined });

describe("a disk that is full", () => {
  it("refuses retryably, keeps all that was acknowledged, and goes on once there is room", async (context) => {
    const disk = await mountSmallDisk();
    if (disk === null) return context.skip("this user may not mount a tmpfs");
    const spool = await open(disk);
    const name = (content: string): string => content.replace(/x+$/, "");
    const readNames = async (from: Spool, ...at: Position[]): Promise<string[]> =>
      (await readSpool(from, "spans", ...at)).map(name);
    const acknowledged: string[] = [];
    const refusals: string[] = [];
    const append = async (content: string): Promise<void> => {
      await spool.append([{ table: "spans", block: createBlock(content) }]).then(
        () => acknowledged.push(name(content)),
        (error) => refusals.push(`${error.code}: ${error.message}`),
      );
    };
    for (let i = 0; i < 60; i++) await append(`${i}`.padEnd(100_000, "x"));
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(refusals.length).toBeGreaterThan(5);
    expect(new Set(refusals)).toEqual(new Set(["store_unavailable: the spool can't be written: the disk is full"]));
    expect(await readNames(spool)).toEqual(acknowledged);
    // The store takes some: their files are room again, although the disk is as full as before.
    const { next } = await spool.find("spans", spool.start, { rows: 15, bytes: 1e9, frames: 1000 });
    await spool.release(next);
    for (let i = 0; i < 5; i++) await append(`again ${i}`.padEnd(100_000, "x"));
    expect(acknowledged.at(-1)).toBe("again 4");
    const left = acknowledged.slice(15);
    expect(await readNames(spool, next)).toEqual(left);
    await spool.close();
    const recovered = await open(disk);
    expect(await readNames(recovered, recovered.start)).toEqual(left);
    await recovered.close();
  });

  it("that somebody else filled: a new segment begins where the old one could not go on", async (context) => {
    const disk = await mountSmallDisk();
    if (disk === null) return context.skip("this user may not mount a tmpfs");
    const spool = await open(disk);
    const append = (content: string) => spool.append([{ table: "spans", block: createBlock(content) }]);
    await append("before");
    fillDisk(join(disk, "ballast"));
    await expect(append("x".repeat(50_000))).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(append("x".repeat(50_000))).rejects.toMatchObject({ code: "store_unavailable" });
    await unlink(join(disk, "ballast"));
    await append("after");
    expect(await readSpool(spool)).toEqual(["before", "after"]);
    expect(spool.state().segments).toBe(2);
    await spool.close();
    const recovered = await open(disk);
    expect(await readSpool(recovered)).toEqual(["before", "after"]);
    await recovered.close();
  });
});

function fillDisk(path: string): void {
  for (let size = MEBIBYTE; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // Full for pieces of this size: smaller ones may still fit.
    }
  }
}
