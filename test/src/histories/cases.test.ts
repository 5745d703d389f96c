/** Every case from files on a disk to calls, imported twice, and from a second machine. */
import { parseInstant } from "@centspan/base";
import { afterEach, describe, expect, it } from "vitest";
import type { HistoryCase, Tokens } from "./case.ts";
import { CLAUDE_CASES } from "./claude-cases.ts";
import { CODEX_CASES } from "./codex-cases.ts";
import { callsOf, createDisk, type Disk, type Imported, importHome } from "./run-case.ts";
import { answerLine, personLine, resultLine, toolBlock } from "./write-claude.ts";
import { createRollout } from "./write-codex.ts";

const disks: Disk[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) disk.remove();
});

function newDisk(files: HistoryCase["files"]): Disk {
  const disk = createDisk();
  disks.push(disk);
  disk.write(files);
  return disk;
}

/** The imports of a case: one, or one before it grew and one after. */
async function importCase({ files, later }: HistoryCase): Promise<Imported & { first: Imported }> {
  const disk = newDisk(files);
  const first = await importHome(disk.home, null, { isIdle: later === undefined });
  if (later === undefined) return { ...first, first };
  disk.write(later);
  const second = await importHome(disk.home, first.state);
  const join = <T>(a: readonly T[], b: readonly T[]): T[] => [...a, ...b];
  return {
    ...second,
    spans: join(first.spans, second.spans),
    outcomes: join(first.outcomes, second.outcomes),
    events: join(first.events, second.events),
    first,
  };
}

const METERS = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "outputText",
  "outputReasoning",
  "webSearches",
] as const;

function sumOf(calls: ReturnType<typeof callsOf>): Tokens {
  const sums = METERS.map((meter) => [meter, calls.reduce((sum, { buckets }) => sum + buckets[meter], 0)] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum > 0));
}

/** Files, of which not every beginning is looked at. */
const MANY = 10;

/** The beginning of a file; what is compressed, or small and beside it, is whole or is not. */
function cutAt(name: string, content: string | readonly string[], part: number): string | readonly string[] {
  if (!name.endsWith(".jsonl")) return content;
  const text = typeof content === "string" ? content : content.map((line) => `${line}\n`).join("");
  return text.slice(0, Math.floor(text.length * part));
}

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

function checkWords(
  { expect: wanted }: HistoryCase,
  { receipt, events, first }: Awaited<ReturnType<typeof importCase>>,
): void {
  const removed = Object.fromEntries(Object.entries(receipt.removed).map(([reason, { records }]) => [reason, records]));
  if (wanted.removed !== undefined) expect(removed).toEqual(wanted.removed);
  if (wanted.unfinished !== undefined) expect(first.receipt.unfinishedLines).toBe(wanted.unfinished);
  const counted = (kind: string): number => events.filter((event) => event.kind === kind).length;
  if (wanted.turns !== undefined) expect(counted("turn")).toBe(wanted.turns);
  if (wanted.toolRuns !== undefined) expect(counted("tool")).toBe(wanted.toolRuns);
  expect(receipt.problems.map(({ line, problem }) => `${line} ${problem}`)).toEqual(wanted.problems ?? []);
}

describe.each([...CLAUDE_CASES, ...CODEX_CASES])("$name", (aCase) => {
  const { expect: wanted } = aCase;

  it("comes to the right calls and tokens", async () => {
    const imported = await importCase(aCase);
    const calls = callsOf(imported.spans);
    const fine = calls.filter(({ quarantineReason }) => quarantineReason === "");
    expect({ calls: calls.length, tokens: sumOf(fine) }).toEqual({ calls: wanted.calls, tokens: wanted.tokens });
    expect(calls.length - fine.length).toBe(wanted.quarantined ?? 0);
    expect(calls.every(({ source }) => source === "import")).toBe(true);
    if (wanted.sessions !== undefined)
      expect(countBy(calls.map(({ sessionId }) => sessionId))).toEqual(wanted.sessions);
    if (wanted.traces !== undefined)
      expect(new Set(imported.spans.map(({ traceId }) => traceId)).size).toBe(wanted.traces);
    if (wanted.roots !== undefined) expect(countBy(calls.map(({ runId }) => runId))).toEqual(wanted.roots);
    const marks = imported.spans.flatMap(({ attributes }) => {
      const said = attributes["centspan.history.marks"];
      return said === undefined ? [] : [`${JSON.parse(said)} ${attributes["centspan.prefix.known_tokens"] ?? ""}`];
    });
    if (wanted.marks !== undefined) expect(marks).toEqual(wanted.marks);
    const tests = imported.outcomes.map(
      ({ status, evidence }) => `${status} ${evidence.passed ?? null}/${evidence.failed ?? null}`,
    );
    expect(tests).toEqual(wanted.tests ?? []);
    checkWords(aCase, imported);
  });

  it("has whole traces: each span once, each parent there", async () => {
    const { spans } = await importCase(aCase);
    const ids = spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
    expect(new Set(ids).size).toBe(ids.length);
    const orphans = spans.filter(
      ({ traceId, parentSpanId }) => parentSpanId !== "" && !ids.includes(`${traceId} ${parentSpanId}`),
    );
    expect(orphans.map(({ name }) => name)).toEqual([]);
    expect(spans.filter(({ startedAtNs, endedAtNs }) => endedAtNs < startedAtNs)).toEqual([]);
  });

  it("changes nothing when it is imported again, and is the same on another machine", async () => {
    const files = { ...aCase.files, ...aCase.later };
    const disk = newDisk(files);
    const first = await importHome(disk.home);
    const again = await importHome(disk.home, first.state);
    expect([again.spans, again.outcomes, again.receipt.files]).toEqual([[], [], 0]);
    const other = await importHome(newDisk(files).home);
    expect(other.spans).toEqual(first.spans);
    expect(other.outcomes).toEqual(first.outcomes);
  });

  it("comes to the same wherever an import stopped and went on", async () => {
    const files = Object.entries({ ...aCase.files, ...aCase.later });
    const whole = await importHome(newDisk(Object.fromEntries(files)).home);
    // What was forked or called is written after what it came from: the last files are those that grow.
    const isLarge = files.length > MANY;
    const counts = isLarge ? [2] : [...new Set([files.length, 1])];
    for (const count of counts) {
      for (const part of isLarge ? [0.55] : [0.2, 0.55, 0.93]) {
        const begun = files.slice(0, count).map(([name, content], index) => {
          return [name, index < count - 1 ? content : cutAt(name, content, part)] as const;
        });
        const disk = newDisk(Object.fromEntries(begun));
        const first = await importHome(disk.home, null, { isIdle: false });
        disk.write(Object.fromEntries(files));
        const second = await importHome(disk.home, first.state);
        const calls = callsOf([...first.spans, ...second.spans]);
        expect([part, sumOf(calls), calls.length]).toEqual([part, sumOf(callsOf(whole.spans)), wanted.calls]);
      }
    }
  });

  it("lets no text of the conversation out", async () => {
    const { spans, events, outcomes, state } = await importCase(aCase);
    const said = [spans, events, outcomes, state.files].map((value) =>
      JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part)),
    );
    for (const text of said) expect(text).not.toMatch(/Please fix it|Done\.|file_path|"look"/);
  });
});

it("ended in the middle of a file, as often as it may be, comes to the same spans, none of them twice", async () => {
  const at = (n: number) => ({ session: "s1", at: 1_795_000_000_000 + n * 1000, uuid: `u${n}` });
  const long = "a line of output\n".repeat(20_000);
  const lines = Array.from({ length: 10 }, (_, n) => [
    personLine(at(n * 10), "Go"),
    answerLine(at(n * 10 + 1), {
      id: `msg_${n}`,
      request: `r${n}`,
      usage: { input: 10 + n, output: 5 },
      blocks: [toolBlock(`toolu_${n}`, "Bash", { command: "npm run long" })],
    }),
    resultLine(at(n * 10 + 2), { tool: `toolu_${n}`, content: long }),
  ]).flat();
  const disk = newDisk({ ".claude/projects/-home-dev-shop/s1.jsonl": lines });
  const whole = await importHome(disk.home);
  let last = await importHome(disk.home, null, { pieces: 1 });
  const spans = [...last.spans];
  expect(Object.values(last.state.files).map(({ bytes }) => bytes)).toEqual([-1]);
  let imports = 1;
  for (; last.receipt.files > 0; imports++) {
    last = await importHome(disk.home, last.state, { pieces: 1 });
    spans.push(...last.spans);
  }
  const name = ({ spanId }: { spanId: string }): string => spanId;
  const inOrder = (list: typeof spans) => list.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
  expect(imports).toBeGreaterThan(3);
  expect(inOrder(spans)).toEqual(inOrder(whole.spans));
});

it("tells what was said only where somebody asked for it, and no secret then", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const at = (n: number) => ({ session: "s1", at: 1_795_000_000_000 + n * 1000, uuid: `u${n}` });
  const rollout = ".codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-019a0000-0000-7000-8000-000000000001.jsonl";
  const talk = createRollout({ thread: "019a0000-0000-7000-8000-000000000001", at: 1_795_000_000_000 });
  talk.meta();
  talk.context("turn-1");
  talk.user("Add a test");
  talk.call("call_1", "exec_command", { cmd: "ls test" });
  talk.record("resp_1", { input: 100, output: 20 });
  talk.output("call_1", "Process exited with code 0\nOutput:\ncart.test.ts");
  talk.count({ input: 100, output: 20 });
  talk.assistant("There is one now.");
  talk.record("resp_2", { input: 120, output: 10 });
  talk.count({ input: 120, output: 10 });
  talk.done("turn-1");
  const disk = newDisk({
    ".claude/projects/-home-dev-shop/s1.jsonl": [
      personLine(at(0), `\nFix the cart with ${secret}\nand test it`),
      answerLine(at(1), {
        id: "msg_a",
        request: "r1",
        usage: { input: 10, output: 5 },
        blocks: [{ type: "text", text: "I will look." }, toolBlock("toolu_1", "Bash", { command: "cat cart.ts" })],
      }),
      resultLine(at(2), { tool: "toolu_1", content: "const total = 1;" }),
    ],
    [rollout]: talk.lines,
  });
  const said = (spans: Imported["spans"], name: string) =>
    spans.flatMap(({ attributes }) => (attributes[name] === undefined ? [] : [attributes[name]]));
  const { spans } = await importHome(disk.home, null, { keepsContent: true });
  expect(said(spans, "centspan.prompt.title")).toEqual(["Fix the cart with [GitHub token]", "Add a test"]);
  const parts = (name: string) => said(spans, name).flatMap((json) => JSON.parse(json)[0].parts[0].content);
  expect(parts("gen_ai.input.messages")).toEqual(["\nFix the cart with [GitHub token]\nand test it", "Add a test"]);
  expect(parts("gen_ai.output.messages")).toEqual(["I will look.", "There is one now."]);
  expect(said(spans, "gen_ai.tool.call.arguments")).toEqual(['{"command":"cat cart.ts"}', '{"cmd":"ls test"}']);
  expect(said(spans, "gen_ai.tool.call.result").map((text) => text.trim().split("\n").at(-1))).toEqual([
    "const total = 1;",
    "cart.test.ts",
  ]);
  const plain = await importHome(disk.home);
  expect(
    plain.spans
      .flatMap(({ attributes }) => Object.keys(attributes))
      .filter((one) => /messages|tool\.call\.[ar]|prompt\.title/.test(one)),
  ).toEqual([]);
});

it("takes what comes after all to a file that had been left: the rest of a line, and what a tool returned", async () => {
  const name = ".claude/projects/-home-dev-shop/s1.jsonl";
  const at = (n: number) => ({ session: "s1", at: 1_795_000_000_000 + n * 1000, uuid: `u${n}` });
  const usage = { input: 10, output: 5 };
  const lines = [
    personLine(at(0), "Go"),
    answerLine(at(1), {
      id: "msg_a",
      request: "r1",
      usage,
      blocks: [toolBlock("toolu_1", "Bash", { command: "npx vitest run" })],
    }),
    resultLine(at(900), { tool: "toolu_1", content: " Tests  3 passed (3)" }),
    answerLine(at(901), { id: "msg_b", request: "r2", usage }),
  ];
  const whole = lines.map((line) => `${line}\n`).join("");
  const disk = newDisk({ [name]: whole.slice(0, whole.indexOf("toolUseResult")) });
  const first = await importHome(disk.home);
  expect(JSON.stringify(first.state)).not.toContain("vitest run");
  expect([first.receipt.problemLines, callsOf(first.spans).length, first.outcomes.length]).toEqual([1, 1, 0]);
  disk.write({ [name]: whole });
  const second = await importHome(disk.home, first.state);
  expect(second.receipt.problemLines).toBe(0);
  expect(callsOf([...first.spans, ...second.spans]).length).toBe(2);
  expect(second.outcomes.map(({ status }) => status)).toEqual(["passed"]);
});

it("an instant is what the line says: 20:00 on 3 August at UTC−6 is of that day in that zone", async () => {
  const at = "2026-08-03T20:00:00-06:00";
  const line = answerLine(
    { session: "s1", at: Date.parse(at), uuid: "u1" },
    { id: "msg_a", request: "req_a", usage: { input: 1, output: 1 } },
  );
  const disk = newDisk({ ".claude/projects/-home-dev-shop/s1.jsonl": [line] });
  const [call] = callsOf((await importHome(disk.home)).spans);
  expect(call?.atNs).toBe(parseInstant(at));
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Guatemala" });
  expect(day.format(Number((call?.atNs ?? 0n) / 1_000_000n))).toBe("2026-08-03");
});
