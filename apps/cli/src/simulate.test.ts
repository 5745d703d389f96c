import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { afterAll, expect, it, vi } from "vitest";
import { createProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-simulate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command in this process: what it printed, or what it refused. */
async function simulate(...args: string[]): Promise<{ stdout: string; refused: string | null }> {
  const printed: string[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    await createProgram("data").parseAsync(["simulate", ...args], { from: "user" });
    return { stdout: printed.join(""), refused: null };
  } catch (error) {
    if (!(error instanceof CentspanError)) throw error;
    return { stdout: printed.join(""), refused: error.message };
  } finally {
    spy.mockRestore();
  }
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const line = (at: number) => ({
  timestamp: at * 250,
  input_length: 512 * 4,
  output_length: 20,
  hash_ids: [at % 3, 10 + (at % 3), 20 + (at % 3), 30 + (at % 3)],
});
const lines = Array.from({ length: 60 }, (_, at) => JSON.stringify(line(at)));
const trace = write("trace.jsonl", `${lines.join("\n")}\n`);

it("prints a result, and the hit rate by capacity as a table and a chart", async () => {
  const curve = join(folder, "curve.svg");
  const { refused, stdout } = await simulate("--trace", trace, "--curve", curve, "--capacities", "4,12");
  expect(refused).toBeNull();
  expect(stdout).toMatch(/requests +60/);
  expect(stdout).toContain("USD");
  // Three prompts of four blocks in turn: four blocks never hold the next one, twelve hold all after their first time.
  expect(stdout).toMatch(/4 +0\.0000 +0\.\d{4}\n +12 +0\.9500 +0\.9500/);
  const svg = readFileSync(curve, "utf8");
  expect(svg).toMatch(/^<svg [\s\S]*lru-leaf[\s\S]*belady[\s\S]*<\/svg>\n$/);
});

it("gives the same bytes for the same trace and configuration, as JSON too", async () => {
  const config = write("two.json", JSON.stringify({ replicas: 2, router: { id: "random" }, seed: 5 }));
  const once = await simulate("--trace", trace, "--config", config, "--json");
  const again = await simulate("--trace", trace, "--config", config, "--json");
  expect(once.stdout).toBe(again.stdout);
  const { result, config: used } = JSON.parse(once.stdout);
  expect(result).toMatchObject({ requests: 60, thrashing: false, preemptions: 0 });
  expect(result.costPerMillionTokensUsd).toMatch(/^\d+\.\d+$/);
  expect(used).toMatchObject({ replicas: 2, policy: "lru-leaf" });
});

it("plays recorded agent sessions in a closed loop", async () => {
  const request = (session: string, at: number) =>
    JSON.stringify({
      s: session,
      a: "",
      i: at,
      t: at * 10,
      m: "m",
      ty: "s",
      in: 64 * (4 + at),
      out: 20,
      api: 2,
      think: at === 0 ? null : 3,
      stop: "tool_use",
      h: [[0, 4 + at]],
    });
  const sessions = write(
    "sessions.jsonl",
    ["a", "b", "c"].flatMap((session) => [0, 1, 2].map((at) => request(session, at))).join("\n"),
  );
  const { stdout } = await simulate("--trace", sessions, "--format", "weka", "--concurrent", "1", "--json");
  const { result } = JSON.parse(stdout);
  expect(result.requests).toBe(9);
  // Three sessions one after the other, two think times of 3 s in each.
  expect(result.durationS).toBeGreaterThan(18);
  expect(result.durationS).toBeLessThan(21);
  // Each request finds the one before it, but for its last block, which is always computed in part.
  expect(result.hitRate).toBeGreaterThan(0.5);
});

it("prints the configuration that it would use, which is one that it takes", async () => {
  const { stdout } = await simulate("--print-config");
  const config = write("printed.json", stdout);
  expect((await simulate("--config", config, "--print-config")).stdout).toBe(stdout);
});

it.each([
  ["no trace", [], /--trace/],
  ["a trace beside calls", ["--calls", "--trace", trace], /--trace: not with --calls/],
  ["a format for calls", ["--calls", "--format", "weka"], /--format: not with --calls/],
  ["a period of a trace", ["--trace", trace, "--from", "2026-11-01"], /--from: only with --calls/],
  ["a workspace of a trace", ["--trace", trace, "--workspace", "default"], /--workspace: only with --calls/],
  ["a curve of sessions", ["--calls", "--concurrent", "2", "--curve", "x.svg"], /--curve/],
  ["calls where no stack is", ["--calls", "--data", join(folder, "no-stack")], /no-stack.*npm start/],
  ["a file that is not there", ["--trace", "nowhere.jsonl"], /nowhere\.jsonl: there is no such file/],
  ["an empty trace", ["--trace", write("empty.jsonl", "")], /empty\.jsonl: holds no request/],
  ["a broken line", ["--trace", write("broken.jsonl", `${lines[0]}\n{"timestamp": 1`)], /broken\.jsonl: line 2/],
  [
    "a negative time",
    ["--trace", write("early.jsonl", JSON.stringify({ ...line(1), timestamp: -1 }))],
    /early\.jsonl: line 1: timestamp/,
  ],
  [
    "a hash of no known type",
    ["--trace", write("hash.jsonl", JSON.stringify({ ...line(1), hash_ids: [1, null, 3, 4] }))],
    /hash\.jsonl: line 1: hash_ids\[1\]/,
  ],
  ["a configuration that is not JSON", ["--trace", trace, "--config", write("a.json", "{")], /a\.json: not JSON/],
  [
    "a field that does not exist",
    ["--trace", trace, "--config", write("b.json", '{"engine":{"gpus":1}}')],
    /b\.json: engine\.gpus/,
  ],
  [
    "a cache that can't hold one request",
    ["--trace", trace, "--config", write("c.json", '{"engine":{"capacityBlocks":8}}')],
    /this engine holds 512/,
  ],
  ["sessions where there are none", ["--trace", trace, "--concurrent", "5"], /--concurrent/],
  ["capacities without a curve", ["--trace", trace, "--capacities", "5"], /only with --curve/],
  [
    "another load where answers decide it",
    ["--trace", trace, "--format", "weka", "--config", write("d.json", '{"arrivalScale":2}')],
    /arrivalScale/,
  ],
  ["a capacity that is no number", ["--trace", trace, "--curve", "x.svg", "--capacities", "5,many"], /"many"/],
])("refuses %s in one plain line", async (_what, args, message) => {
  const { stdout, refused } = await simulate(...args);
  expect(stdout).toBe("");
  expect(refused).toMatch(message);
  expect(refused).not.toContain("\n");
});
