import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { pollUntil } from "../testing/poll.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { runProcess } from "./run-process.ts";

async function shell(command: string, options: { timeLimitMs?: number; signal?: AbortSignal; cwd?: string } = {}) {
  const cwd = options.cwd ?? (await createTemporaryFolder());
  return runProcess("/bin/sh", ["-c", command], {
    cwd,
    searchPath: process.env.PATH ?? "",
    timeLimitMs: options.timeLimitMs ?? 10_000,
    signal: options.signal ?? new AbortController().signal,
  });
}

/** Resolves once every program that holds the folder's `held` open for writing has ended. */
function watchEnd(cwd: string): Promise<unknown> {
  execFileSync("mkfifo", [join(cwd, "held")]);
  return readFile(join(cwd, "held"));
}

it("gives exit code and both streams, and reports a killed program as shells do", async () => {
  expect(await shell("echo out; echo err >&2; exit 3")).toMatchObject({ exitCode: 3, timedOut: false });
  const { output } = await shell("echo out; echo err >&2");
  expect(output.text.split("\n").sort()).toEqual(["", "err", "out"]);
  expect(await shell("kill -TERM $$")).toMatchObject({ exitCode: 143 });
});

it("hands over nothing of our environment but PATH", async () => {
  vi.stubEnv("CENTSPAN_GATEWAY_KEY", "cs_gateway_secret");
  const cwd = await createTemporaryFolder();
  const { output } = await shell("env", { cwd });
  vi.unstubAllEnvs();
  const names = output.text.split("\n").map((line) => line.split("=")[0]);
  // The shell itself adds PWD and such.
  expect(names.filter((name) => name && !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).sort()).toEqual([
    "HOME",
    "LANG",
    "NO_COLOR",
    "PATH",
  ]);
  expect(output.text).toContain(`HOME=${cwd}`);
});

it("stops a program at the time limit together with what it started", async () => {
  const cwd = await createTemporaryFolder();
  const ended = watchEnd(cwd);
  const result = await shell("sleep 600 > held & wait", { cwd, timeLimitMs: 300 });
  expect(result).toMatchObject({ exitCode: 124, timedOut: true });
  await ended;
});

it("leaves nothing running behind a program that ended, and does not wait for it", async () => {
  const cwd = await createTemporaryFolder();
  const ended = watchEnd(cwd);
  expect(await shell("exec 3> held; sleep 600 & exit 0", { cwd })).toMatchObject({ exitCode: 0, timedOut: false });
  await ended;
});

it("kills the program when the run is interrupted", async () => {
  const cwd = await createTemporaryFolder();
  const ended = watchEnd(cwd);
  const interrupt = new AbortController();
  const running = shell("exec 3> held; touch started; sleep 600", { cwd, signal: interrupt.signal });
  await pollUntil("the program to start", () => existsSync(join(cwd, "started")));
  interrupt.abort(new Error("stopped by hand"));
  await expect(running).rejects.toThrow("stopped by hand");
  await ended;
});

it("keeps a bounded part of endless output", async () => {
  const { output } = await shell("yes 0123456789 | head -c 50000000");
  expect(output).toMatchObject({ totalBytes: 50_000_000, truncated: true });
  expect(output.text.length).toBeLessThan(41_000);
});

it("throws when there is no such program", async () => {
  const cwd = await createTemporaryFolder();
  const signal = new AbortController().signal;
  const options = { cwd, searchPath: "", timeLimitMs: 1000, signal };
  await expect(runProcess("/no/such/program", [], options)).rejects.toThrow("ENOENT");
});
