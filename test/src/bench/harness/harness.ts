/**
 * `bench harness`: what each mechanism of the harness is worth, with it and without it in one run: recorded runs replayed
 * through harness, gateway and engine, bundled tasks, an MCP server that lists its tools in random order, and kills.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CODE_LIMITS, runCode } from "@centspan/harness";
import type { Trajectory } from "@centspan/histories";
import { renderItem } from "@centspan/model";
import { getTokenizer, type Tokenizer } from "@centspan/tokens";
import { defineBench, readNumber, round } from "../bench.ts";
import { measureToolSearch } from "./measure-discovery.ts";
import { measureResume, startHarness } from "./measure-resume.ts";
import { type Replayed, type ReplayStack, readRecorded, startReplayStack, writeEvenRun } from "./replay-stack.ts";

const SERVER_TOOLS = 120;
const MANY_TOOLS = 300;
const FEW_TOOLS = 10;
const TOOL_MS = 1_000;
const TASKS = ["money-half-even", "topo-sort-cycle"];

export default defineBench({
  name: "harness",
  describe: "what each mechanism of the agent loop is worth, on recorded runs and bundled tasks, on and off",
  flags: {
    data: "folder of the maintainers' data (CENTSPAN_SHARED/data; else one made-up run)",
    trajectories: "recorded runs to replay (8)",
    turns: "turns of each at most (40)",
    resumes: "runs to kill and go on with (20)",
    seed: "of the moments of the kills (1)",
  },
  async run(flags, say) {
    const turns = readNumber("turns", flags.turns, 40);
    const shared = process.env.CENTSPAN_SHARED;
    const data = flags.data ?? (shared === undefined ? null : join(shared, "data"));
    const folder = mkdtempSync(join(tmpdir(), "centspan-bench-harness-"));
    const even = writeEvenRun(folder, turns + 5);
    const recorded =
      data === null ? [] : listRecorded(data).slice(0, readNumber("trajectories", flags.trajectories, 8));
    try {
      const { top8, top1, missed } = await measureToolSearch(MANY_TOOLS);
      say(`tool_search: ${top8} in the first eight, ${top1} first; missed: ${missed.join(", ")}`);
      const parallel = await measureParallel();
      say(`three tools of 1 s: ${round(parallel.together, 3)} s side by side, ${round(parallel.inTurn, 3)} s in turn`);
      const stack = await startReplayStack([even, ...recorded]);
      const replayed = await measureReplays(stack, readRecorded(even), recorded.map(readRecorded), turns, say).finally(
        () => stack.end(),
      );
      const window = await measureWindow(findLongest([even, ...recorded]), say);
      const { resumed, tasks } = await measureTasks(flags, say);
      return {
        bytesSlopeRatio: replayed.bytesSlopeRatio,
        prefixReuse: replayed.prefixReuse,
        toolPromptRatio: replayed.toolPromptRatio,
        toolSearchTop8: round(top8, 3),
        parallelToolsS: round(parallel.together, 3),
        ...resumed,
        ...replayed.others,
        serialToolsS: round(parallel.inTurn, 3),
        ...window,
        ...tasks,
        trajectories: recorded.length,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function listRecorded(data: string): string[] {
  const folders = ["swe-agent", "mini-swe-agent-gemini-3-pro"].map((name) => join(data, "trajectories", name));
  for (const folder of folders) if (!existsSync(folder)) throw new Error(`${folder} is missing`);
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /\.traj(\.json)?$/.test(file))
      .sort()
      .map((file) => join(folder, file)),
  );
}

/** The run of the most turns; of several the first. */
const findLongest = (files: readonly string[]): string =>
  files.reduce((best, file) => (countTurns(file) > countTurns(best) ? file : best));

const countTurns = (file: string): number => readRecorded(file).steps.length;

/** Seconds of three tools that take one each, called by a program side by side and one after the other. */
async function measureParallel(): Promise<{ together: number; inTurn: number }> {
  const time = async (code: string): Promise<number> => {
    const call = () => sleep(TOOL_MS, "done");
    const beganMs = performance.now();
    const { end } = await runCode({ code, call, limits: CODE_LIMITS, signal: new AbortController().signal });
    if (end !== "returned") throw new Error(`the program ended by ${end}`);
    return (performance.now() - beganMs) / 1_000;
  };
  // Threads are started ahead, but for a process's first program: it waits, and its successors' thread is there.
  const inTurn = await time("return [await tools.a(), await tools.b(), await tools.c()]");
  const together = await time("return await Promise.all([tools.a(), tools.b(), tools.c()])");
  return { together, inTurn };
}

async function measureReplays(
  stack: ReplayStack,
  even: Trajectory,
  recorded: readonly Trajectory[],
  maxTurns: number,
  say: (text: string) => void,
) {
  const runs = recorded.length === 0 ? [even] : recorded;
  const flat = await stack.replay({ trajectory: even, maxTurns });
  const whole = await stack.replay({ trajectory: even, maxTurns, without: ["incremental"] });
  const bytesSlopeRatio = round(slopeOf(flat) / slopeOf(whole), 4);
  say(`bytes of turn ${maxTurns}: ${lastBytes(flat)} incremental, ${lastBytes(whole)} with the whole history`);

  const tokenizer = await getTokenizer("replay");
  const figures = { on: createReuse(), off: createReuse() };
  let bytesOn = 0;
  let bytesOff = 0;
  for (const trajectory of runs) {
    const on = await stack.replay({ trajectory, maxTurns, tools: SERVER_TOOLS });
    const without = ["incremental", "stableTools", "deferredTools", "compactSchemas"] as const;
    const off = await stack.replay({ trajectory, maxTurns, tools: SERVER_TOOLS, without });
    figures.on.add(on, trajectory, tokenizer);
    figures.off.add(off, trajectory, tokenizer);
    bytesOn += sumBytes(on);
    bytesOff += sumBytes(off);
    say(
      `${trajectory.id}: ${on.turns} turns, ${sumBytes(on)} bytes sent with the mechanisms, ${sumBytes(off)} without`,
    );
  }
  const ticking = createReuse();
  ticking.add(await stack.replay({ trajectory: even, maxTurns, without: ["stableInstructions"] }), even, tokenizer);
  const firstTokens = async (tools: number, isOn: boolean): Promise<number> => {
    const without = isOn ? [] : (["deferredTools"] as const);
    const { perTurn } = await stack.replay({ trajectory: even, maxTurns: 1, tools, without });
    return perTurn[0]?.inputTokens ?? Number.NaN;
  };
  const prompts = [await firstTokens(MANY_TOOLS, true), await firstTokens(FEW_TOOLS, true)] as const;
  const listed = [await firstTokens(MANY_TOOLS, false), await firstTokens(FEW_TOOLS, false)] as const;
  say(
    `prompt tokens with ${MANY_TOOLS} and ${FEW_TOOLS} tools: ${prompts.join(", ")} deferred, ${listed.join(", ")} listed`,
  );
  return {
    bytesSlopeRatio,
    prefixReuse: round(figures.on.share(), 4),
    toolPromptRatio: round(prompts[0] / prompts[1], 3),
    others: {
      prefixReuseOff: round(figures.off.share(), 4),
      prefixReuseWithClock: round(ticking.share(), 4),
      toolPromptRatioOff: round(listed[0] / listed[1], 3),
      bytesSent: bytesOn,
      bytesSentOff: bytesOff,
      handshakesPerRun: flat.handshakes,
    },
  };
}

const sumBytes = ({ perTurn }: Replayed): number => perTurn.reduce((sum, { bytesSent }) => sum + bytesSent, 0);
const lastBytes = ({ perTurn }: Replayed): number => perTurn.at(-1)?.bytesSent ?? 0;

/** Bytes that a turn sends more than the one before: the least-squares slope from turn 2 on, since the first sends all. */
function slopeOf({ perTurn }: Replayed): number {
  const points = perTurn.slice(1).map(({ bytesSent }, turn) => ({ turn, bytesSent }));
  const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanTurn = meanOf(points.map(({ turn }) => turn));
  const meanBytes = meanOf(points.map(({ bytesSent }) => bytesSent));
  const rise = points.reduce((sum, { turn, bytesSent }) => sum + (turn - meanTurn) * (bytesSent - meanBytes), 0);
  return rise / points.reduce((sum, { turn }) => sum + (turn - meanTurn) ** 2, 0);
}

/** Share of the tokens that stood in the request or the answer before that came from the engine's cache, from turn 2 on. */
function createReuse() {
  let reusable = 0;
  let reused = 0;
  return {
    add({ perTurn }: Replayed, { steps }: Trajectory, tokenizer: Tokenizer): void {
      for (const [index, turn] of perTurn.entries()) {
        const before = perTurn[index - 1];
        const step = steps[index - 1];
        if (before === undefined || step === undefined) continue;
        const said = renderItem({ type: "message", role: "assistant", text: step.said });
        const called = step.calls.map((call) => renderItem({ type: "tool_call", callId: "", ...call }));
        const answer = [said, ...called].reduce((sum, text) => sum + tokenizer.encode(text).length, 0);
        reusable += before.inputTokens + answer;
        reused += turn.cachedTokens;
      }
    },
    share: () => reused / reusable,
  };
}

/** A run that takes three windows, against a model that takes no more than one. */
async function measureWindow(file: string, say: (text: string) => void) {
  const trajectory = readRecorded(file);
  const measuring = await startReplayStack([file]);
  const whole = await measuring.replay({ trajectory }).finally(() => measuring.end());
  const windowTokens = Math.ceil((whole.perTurn.at(-1)?.inputTokens ?? 0) / 3);
  const stack = await startReplayStack([file], windowTokens);
  try {
    const on = await stack.replay({ trajectory, windowTokens });
    const off = await stack
      .replay({ trajectory, windowTokens, without: ["compactContext"] })
      .then((run) => run.stop === "answered")
      .catch(() => false);
    const completes = on.stop === "answered" && on.turns === whole.turns;
    say(`window of ${windowTokens} tokens for ${trajectory.id}: ${on.turns} turns, ${on.compactions} compactions`);
    return { longRunCompletes: completes, longRunCompletesOff: off, compactions: on.compactions };
  } finally {
    await stack.end();
  }
}

async function measureTasks(flags: Record<string, string | undefined>, say: (text: string) => void) {
  const stack = await startReplayStack([]);
  const workDir = mkdtempSync(join(tmpdir(), "centspan-bench-tasks-"));
  try {
    const run = async (task: string, without: string[]) => {
      const harness = startHarness(stack, workDir, ["run", "--task", task, "--model", "scripted-strong", ...without]);
      const { status } = await harness.finish();
      const usage = harness.lines().findLast((line) => line.usage != null)?.usage;
      return { status, cachedShare: usage == null ? 0 : usage.cachedTokens / usage.inputTokens };
    };
    let passed = 0;
    for (const task of TASKS) {
      const on = await run(task, []);
      const off = await run(task, ["--without", "webSocket", "parallelTools", "cutOutput"]);
      passed += [on, off].filter(({ status }) => status === "passed").length;
      say(`${task}: ${on.status} with, ${off.status} without; cached at its end ${round(on.cachedShare, 3)}`);
    }
    const [task = ""] = TASKS;
    const resumed = await measureResume(
      stack,
      task,
      readNumber("resumes", flags.resumes, 20),
      readNumber("seed", flags.seed, 1),
    );
    say(`${resumed.resumeRuns} runs killed and gone on with`);
    return { resumed, tasks: { tasksPassed: passed, tasksRun: TASKS.length * 2 } };
  } finally {
    await stack.end();
    rmSync(workDir, { recursive: true, force: true });
  }
}
