import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { afterAll, expect, it, vi } from "vitest";
import { createProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-recommend-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command in this process: what it printed, or what it refused. */
async function recommend(...args: string[]): Promise<{ stdout: string; refused: string | null }> {
  const printed: string[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    await createProgram("data").parseAsync(["recommend", ...args], { from: "user" });
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

/** Users in turn, each with a prompt of its own that grows, too many for what a small cache holds. */
const line = (at: number) => {
  const user = (at * 7) % 24;
  const turn = Math.floor(at / 24);
  const blocks = 4 + (turn % 8);
  return JSON.stringify({
    timestamp: at * 200,
    input_length: blocks * 512,
    output_length: 30 + ((at * 37) % 60),
    hash_ids: Array.from({ length: blocks }, (_, block) => user * 1_000 + block),
  });
};
const trace = write("trace.jsonl", Array.from({ length: 700 }, (_, at) => line(at)).join("\n"));
const short = write("short.jsonl", Array.from({ length: 50 }, (_, at) => line(at)).join("\n"));
const present = write(
  "present.json",
  JSON.stringify({
    replicas: 2,
    router: { id: "random" },
    engine: { blockTokens: 512, capacityBlocks: 300, maxSequences: 2 },
  }),
);
const space = write(
  "space.json",
  JSON.stringify({ maxSequences: [16], router: ["prefix-affinity"], tokenBudget: [4_096] }),
);
const SETTINGS = [
  "settings",
  "--trace",
  trace,
  "--config",
  present,
  "--space",
  space,
  "--beyond-support",
  "--threads",
  "1",
];

it("finds what is planted, judges it on later traffic, and prints it for each engine", async () => {
  const { refused, stdout } = await recommend(...SETTINGS);
  expect(refused).toBeNull();
  expect(stdout).toContain("Recommended. All effects are simulated");
  expect(stdout).toMatch(/sequences in a batch +2 +16 +−/);
  expect(stdout).toMatch(/which replica a request goes to +random +prefix-affinity/);
  expect(stdout).toContain("--max-num-seqs 16");
  expect(stdout).toMatch(/vllm:[\s\S]*can't: router/);
  expect(stdout).toMatch(/Worth a month: \d+\.\d+ USD of accelerator time .* 0 USD of cash/);
});

it("gives the same verdict for the same seed, whole as JSON", async () => {
  const once = JSON.parse((await recommend(...SETTINGS, "--json")).stdout);
  const again = JSON.parse((await recommend(...SETTINGS, "--json")).stdout);
  expect(once.verdict).toEqual(again.verdict);
  expect(once.verdict.state).toBe("holds");
  expect(once.verdict.judged.high).toBeLessThan(0);
  expect(once.recommendation).toMatchObject({ kind: "serving", provenance: "simulated" });
});

it("refuses traffic that is too short, and what leaves the range of the step times, with what to collect", async () => {
  const few = await recommend("settings", "--trace", short, "--config", present, "--threads", "1");
  expect(few.stdout).toMatch(/Refused, traffic_too_short: 50 requests.*\n {2}Collect more traffic/);
  const limited = SETTINGS.filter((word) => word !== "--beyond-support");
  const { stdout } = await recommend(...limited, "--json");
  expect(JSON.parse(stdout).refusals.map(({ reason }: { reason: string }) => reason)).toContain("outside_support");
  expect(JSON.parse(stdout).recommendation).toBeNull();
});

it.each([
  ["no traffic", ["settings"], /--trace/],
  ["a limit that is none", [...SETTINGS, "--limit", "soon"], /--limit: "soon" is not like/],
  ["a space that is none", [...SETTINGS, "--space", present], /present\.json: must be JSON with lists/],
  ["an unknown setting", [...SETTINGS, "--space", write("odd.json", '{"gpus": [1]}')], /no knob gpus/],
  ["records where no stack is", ["list", "--data", join(folder, "none")], /npm start/],
])("refuses %s in one plain line", async (_what, args, message) => {
  const { refused } = await recommend(...args);
  expect(refused).toMatch(message);
  expect(refused).not.toContain("\n");
});
