/** What is planted into runs of the reference harness, by its own switches and by what its tools do. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "@centspan/base";
import { runProcess } from "../../stack/processes.ts";
import { NO_CLOCK, type Plant } from "./plant.ts";
import { startToolServer, type ToolSettings } from "./tool-server.ts";
import { MODELS, type ModelName, RETENTION_S, type WasteStack } from "./waste-stack.ts";
import { nonce, write } from "./words.ts";

type HarnessPlant = Pick<Plant, "id" | "causes"> &
  Partial<Pick<Plant, "truths" | "clock" | "uses">> & {
    model: ModelName;
    sound: Partial<Settings>;
    /** What is otherwise. */
    spoilt: Partial<Settings>;
  };

type Settings = ToolSettings & { without: readonly string[]; windowTokens: number; promptWords: number };

const USUAL: Settings = {
  without: [],
  windowTokens: 128_000,
  promptWords: 400,
  outputWords: 150,
  waitMs: 50,
  longWaitMs: 50,
};
/** In which the run had nothing to do but wait for them. */
const TOOLS = { spans: ["execute_tool bench__look"] };
const RETENTION_MS = RETENTION_S * 1_000;

const plantIntoHarness = ({ model, sound, spoilt, ...plant }: HarnessPlant): Plant => ({
  truths: ["cost"],
  clock: NO_CLOCK,
  uses: [],
  ...plant,
  play: (stack, seed, isSpoilt) =>
    playHarness(stack, { model, seed, isSpoilt, ...USUAL, ...sound, ...(isSpoilt && spoilt) }),
});

type Play = Settings & { model: ModelName; seed: number; isSpoilt: boolean };

async function playHarness(stack: WasteStack, play: Play): Promise<string> {
  const task = join(stack.folder, `task-${play.seed}-${play.isSpoilt ? "spoilt" : "sound"}`);
  writeTask(task, play);
  // Two runs of a pair must not find each other's prompts in a cache.
  const mark = `a_${nonce(createRandom(play.seed * 2 + Number(play.isSpoilt)))}`;
  const tools = await startToolServer(play.seed, mark, play);
  try {
    const mcp = `${task}.mcp.json`;
    writeFileSync(mcp, JSON.stringify({ mcpServers: { bench: { url: tools.url } } }));
    return await runHarness(stack, [
      ...["run", "--task", task, "--model", MODELS[play.model], "--mcp", mcp],
      ...["--window", String(play.windowTokens), "--without", "deferredTools", ...play.without],
      ...["--unsafe", "--sandbox", "none", "--json"],
    ]);
  } finally {
    await tools.close();
  }
}

async function runHarness(stack: WasteStack, args: readonly string[]): Promise<string> {
  const { code, output } = await runProcess(["apps/harness/dist/main.js", ...args], {
    CENTSPAN_GATEWAY_URL: stack.gatewayUrl,
    CENTSPAN_GATEWAY_KEY: stack.key,
    CENTSPAN_OTLP_URL: stack.otlpUrl,
    CENTSPAN_WORK_DIR: join(stack.folder, "work"),
  });
  const runId = /"runId":"([^"]+)"/.exec(output)?.[1];
  const turns = output.split("\n").filter((line) => line.startsWith('{"type":"turn"')).length;
  if (code !== 0 || runId === undefined || turns !== stack.recording.turns + 1)
    throw new Error(`the harness ended with ${code} after ${turns} answers:\n${output}`);
  return runId;
}

/** A package whose tests pass as it is. */
function writeTask(dir: string, { seed, promptWords }: Play): void {
  const files = join(dir, "files");
  mkdirSync(join(files, "test"), { recursive: true });
  const prompt = write(createRandom(seed), promptWords);
  const id = dir.slice(dir.lastIndexOf("task-"));
  const task = { id, title: "Look around", type: "bug", repository: "acme/look", prompt };
  writeFileSync(join(dir, "task.json"), JSON.stringify(task));
  writeFileSync(join(files, "package.json"), JSON.stringify({ name: "@acme/look", type: "module" }));
  writeFileSync(
    join(files, "test", "look.test.js"),
    'import test from "node:test";\ntest("looks", () => undefined);\n',
  );
}

export const HARNESS_PLANTS: readonly Plant[] = [
  plantIntoHarness({
    id: "harness-reads-in-turn",
    causes: ["serial_tools"],
    truths: ["seconds"],
    clock: TOOLS,
    model: "calls",
    sound: { waitMs: 1_000, longWaitMs: 1_000 },
    spoilt: { without: ["parallelTools"] },
  }),
  plantIntoHarness({
    id: "harness-long-tool",
    causes: ["prefix_expired"],
    uses: ["forgetful"],
    model: "waits",
    sound: {},
    spoilt: { longWaitMs: RETENTION_MS + 1_000 },
  }),
  plantIntoHarness({
    id: "harness-summary-first",
    causes: ["prefix_compaction"],
    model: "calls",
    // The prompt and three turns of outputs.
    sound: { promptWords: 2_500, outputWords: 300, windowTokens: 20_000 },
    spoilt: { without: ["stableHistory"] },
  }),
  plantIntoHarness({
    id: "harness-clock",
    causes: ["prefix_system"],
    model: "calls",
    sound: {},
    spoilt: { without: ["stableInstructions"] },
  }),
  plantIntoHarness({
    id: "harness-reads-too-long",
    causes: ["serial_tools", "prefix_expired"],
    truths: ["cost", "seconds"],
    clock: TOOLS,
    uses: ["forgetful"],
    model: "waits",
    sound: { waitMs: 300, longWaitMs: RETENTION_MS / 2 },
    spoilt: { without: ["parallelTools"] },
  }),
];
