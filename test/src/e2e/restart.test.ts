import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findFreePorts, isFree, startProcess } from "../stack/processes.ts";

const dir = mkdtempSync(join(tmpdir(), "centspan-restart-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("starts empty, stops on Ctrl-C leaving no process behind, and starts again with the same keys", async () => {
  const base = await findFreePorts(8);
  const up = () => startProcess(["apps/cli/dist/main.js", "up", "--empty", "--data", dir, "--port-base", String(base)]);
  const keyOf = async (running: ReturnType<typeof up>) => (await running.waitFor(/key (cs_api_\S+)/, 90_000))[1];
  const ports = Array.from({ length: 8 }, (_, offset) => base + offset);

  const first = up();
  const key = await keyOf(first);
  first.child.kill("SIGINT");
  expect(await first.exited).toBe(0);
  expect(await Promise.all(ports.map(isFree))).toEqual(ports.map(() => true));

  const second = up();
  expect(await keyOf(second)).toBe(key);
  const answer = await fetch(`http://127.0.0.1:${base}/api/v1/traces`, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toEqual({ data: [], nextCursor: null });
  second.child.kill("SIGTERM");
  expect(await second.exited).toBe(0);
});
