/**
 * Plants in conversations of an agent of the corpus's own: each takes one as an agent that wastes nothing would hold it, and
 * spoils it.
 */
import { createRandom, type Random } from "@centspan/base";
import { type Item, playRun, type Turn } from "./agent.ts";
import { NO_CLOCK, type Plant } from "./plant.ts";
import { type EngineSettings, MODELS, type ModelName, type WasteStack } from "./waste-stack.ts";
import { makeTool, nonce, write } from "./words.ts";

export type Planting = {
  random: Random;
  stack: WasteStack;
  /** Lets the cache of the small engine go. */
  flood(): Promise<void>;
  /** Has the busy engine compute long prompts of others. */
  crowd(): Promise<void>;
};

export type ConversationPlant = Pick<Plant, "id" | "causes" | "outcome"> &
  Partial<Pick<Plant, "truths" | "clock" | "uses">> & {
    model: ModelName;
    /** What both runs are, where it is more than a conversation. */
    prepare?(turns: Turn[], planting: Planting): Turn[];
    spoil(turns: Turn[], planting: Planting): Turn[];
    /** Of the busy engine, without it and with it. */
    settings?: { sound: EngineSettings; spoilt: EngineSettings };
  };

const TURNS = 6;
/** Each is called once. */
const TOOLS = ["read", "search", "edit"];
const FLOOD_WORDS = 8_500;
const CROWD = 6;
const CROWD_WORDS = 5_000;

const user = (text: string): Item => ({ type: "message", role: "user", content: text });
export const callTool = (n: number, name: string, output: string): Item[] => [
  { type: "function_call", call_id: `call_${n}`, name, arguments: JSON.stringify({ path: `src/${n}` }) },
  { type: "function_call_output", call_id: `call_${n}`, output },
];

/** Each turn appends to the one before, with the same system text and tools. */
function writeConversation(random: Random, model: ModelName): Turn[] {
  const instructions = `${nonce(random)}. ${write(random, 800 + Math.floor(random.next() * 400))}`;
  const tools = TOOLS.map((name) => makeTool(random, name, 30));
  const common = { model: MODELS[model], instructions, tools };
  return Array.from({ length: TURNS }, (_, n) => {
    const said = [user(write(random, 150 + Math.floor(random.next() * 100)))];
    const news =
      n === 0
        ? [user(write(random, 100)), ...said]
        : n % 2 === 0
          ? said
          : [...callTool(n, TOOLS[(n - 1) / 2] ?? "read", write(random, 200)), ...said];
    return { ...common, news };
  });
}

export const plantInto = (spec: ConversationPlant): Plant => ({
  truths: ["cost"],
  clock: NO_CLOCK,
  uses: [],
  ...spec,
  async play(stack, seed, isSpoilt) {
    const random = createRandom(seed);
    // Two runs of a pair must not find each other's prompts in a cache.
    const own = createRandom(seed * 2 + Number(isSpoilt));
    const name = nonce(own);
    const written = writeConversation(random, spec.model);
    const sound = spec.prepare?.(written, startPlanting(stack, random)) ?? written;
    const named = sound.map((turn) => ({ ...turn, instructions: `Run ${name}. ${turn.instructions}` }));
    const turns = isSpoilt ? spec.spoil(named, startPlanting(stack, own)) : named;
    if (spec.settings) await stack.setBusy(isSpoilt ? spec.settings.spoilt : spec.settings.sound);
    const runId = `${spec.id}-${seed}-${isSpoilt ? "spoilt" : "sound"}`;
    await playRun(stack.gatewayUrl, { runId, task: runId, key: stack.key }, turns);
    return runId;
  },
});

function startPlanting(stack: WasteStack, random: Random): Planting {
  const ask = async (model: ModelName, words: number): Promise<void> => {
    const news = [user("go on")];
    const turn = { model: MODELS[model], instructions: write(random, words), tools: [], news, maxOutputTokens: 1 };
    await playRun(stack.gatewayUrl, { runId: `flood-${nonce(random)}`, task: "flood", key: stack.key }, [turn]);
  };
  return {
    random,
    stack,
    // Two prompts that the small engine's cache holds one of.
    async flood() {
      for (let n = 0; n < 2; n++) await ask("small", FLOOD_WORDS);
    },
    async crowd() {
      await Promise.all(Array.from({ length: CROWD }, () => ask("long", CROWD_WORDS)));
    },
  };
}

export const eachTurn =
  (change: (turn: Turn, n: number, planting: Planting) => Partial<Turn>) => (turns: Turn[], planting: Planting) =>
    turns.map((turn, n) => ({ ...turn, ...change(turn, n, planting) }));
export const inTurn = (at: number, change: (turn: Turn, planting: Planting) => Partial<Turn>) =>
  eachTurn((turn, n, planting) => (n === at ? change(turn, planting) : {}));

/** One after the other; what both runs are is what each makes of it. */
export function combine(
  id: string,
  ...plants: readonly [ConversationPlant, ...ConversationPlant[]]
): ConversationPlant {
  const [first] = plants;
  const settings = plants.find((plant) => plant.settings)?.settings;
  return {
    ...first,
    id,
    causes: plants.flatMap(({ causes }) => causes),
    truths: [...new Set(plants.flatMap(({ truths = ["cost"] }) => truths))],
    clock: plants.find(({ clock }) => clock !== undefined)?.clock ?? NO_CLOCK,
    uses: plants.flatMap(({ uses = [] }) => uses),
    prepare: (turns, planting) => plants.reduce((made, plant) => plant.prepare?.(made, planting) ?? made, turns),
    spoil: (turns, planting) => plants.reduce((spoilt, plant) => plant.spoil(spoilt, planting), turns),
    ...(settings && { settings }),
    ...(plants.some(({ outcome }) => outcome === "failed") && { outcome: "failed" as const }),
  };
}
