import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readCheckout } from "./read-checkout.ts";

const PATH = process.env.PATH ?? "";

function makeTask(): { dir: string; filesDir: string } {
  const dir = mkdtempSync(join(tmpdir(), "centspan-checkout-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const filesDir = join(dir, "files");
  mkdirSync(filesDir);
  writeFileSync(join(filesDir, "a.txt"), "a");
  return { dir, filesDir };
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    encoding: "utf8",
  }).trim();

it("says repository, branch and commit of files that are a checkout, and no token of its address", async () => {
  const task = makeTask();
  git(task.filesDir, "init", "-q", "-b", "fix-cart");
  git(task.filesDir, "add", "-A");
  git(task.filesDir, "commit", "-q", "-m", "a");
  git(task.filesDir, "remote", "add", "origin", "https://x-access-token:ghs_secret@github.com/acme/shop.git");
  expect(await readCheckout(task, PATH)).toEqual({
    "vcs.repository.url.full": "https://github.com/acme/shop.git",
    "vcs.ref.head.name": "fix-cart",
    "vcs.ref.head.type": "branch",
    "vcs.ref.head.revision": git(task.filesDir, "rev-parse", "HEAD"),
  });
});

it("says nothing of a task inside another repository, outside of any, or without git", async () => {
  const task = makeTask();
  expect(await readCheckout(task, PATH)).toEqual({});
  git(join(task.dir), "init", "-q");
  const inside = { dir: join(task.dir, "tasks"), filesDir: join(task.dir, "tasks", "files") };
  mkdirSync(inside.filesDir, { recursive: true });
  expect(await readCheckout(inside, PATH)).toEqual({});
  expect(await readCheckout(task, join(task.dir, "nowhere"))).toEqual({});
});
