/** What is planted into conversations where it costs time, and money only by the way. */

import { type ConversationPlant, combine, eachTurn, inTurn } from "./conversation-plant.ts";
import { clock } from "./cost-plants.ts";
import { scrawl } from "./words.ts";

/** Of an engine's clock, which is simulated. */
const INFERENCE = { spans: ["inference.queue", "inference.prefill", "inference.decode"] };
/** The API layer's own work; what is asked first takes it as long with a plant as without. */
const TOKENIZING = { spans: ["api.tokenize"], skipsFirst: true };
const STAGES = { spans: ["api.parse", "api.validate", "api.tokenize", "api.route"] };

const LARGE_WORDS = 2_500;
const LARGE_TURNS = 4;

/** So much to say that the time of the work on it can be told. */
const sayMuch: NonNullable<ConversationPlant["prepare"]> = (turns, { random }) =>
  turns.slice(0, LARGE_TURNS).map((turn) => ({
    ...turn,
    news: [{ type: "message", role: "user", content: scrawl(random, LARGE_WORDS) }, ...turn.news],
  }));

/** From its second turn on the conversation is at another gateway. */
const retokenized: ConversationPlant = {
  id: "gateway-changed",
  causes: ["retokenized"],
  truths: ["seconds"],
  clock: TOKENIZING,
  uses: ["other"],
  model: "plain",
  prepare(turns, { random }) {
    const rules = scrawl(random, 5 * LARGE_WORDS);
    return turns.map((turn) => ({ ...turn, instructions: `${turn.instructions} ${rules}` }));
  },
  spoil: eachTurn((_turn, n, { stack }) => (n === 0 ? {} : { gatewayUrl: stack.urlOf("other") })),
};
const slow: ConversationPlant = {
  id: "slow-processor",
  causes: ["slow_cpu"],
  truths: ["seconds"],
  clock: STAGES,
  uses: ["slow"],
  model: "plain",
  prepare: sayMuch,
  spoil: eachTurn((_turn, _n, { stack }) => ({ gatewayUrl: stack.urlOf("slow") })),
};
/** From its second turn on the conversation is at a slow gateway, which knows nothing of it. */
const moved: ConversationPlant = {
  ...retokenized,
  id: "gateway-changed+slow",
  causes: ["retokenized", "slow_cpu"],
  clock: { ...STAGES, skipsFirst: true },
  uses: ["slow"],
  spoil: eachTurn((_turn, n, { stack }) => (n === 0 ? {} : { gatewayUrl: stack.urlOf("slow") })),
};
const held: ConversationPlant = {
  id: "held-for-checks",
  causes: ["serial_safety"],
  truths: ["seconds"],
  clock: { spans: ["POST /v1/responses"] },
  uses: ["other"],
  model: "plain",
  prepare: eachTurn((_turn, _n, { stack }) => ({ gatewayUrl: stack.urlOf("other") })),
  spoil: eachTurn((_turn, _n, { stack }) => ({ key: stack.holdingKey })),
};

const SOUND = { draftTokens: 0, chunkedPrefill: true };
const onBusyEngine = {
  truths: ["seconds"],
  clock: INFERENCE,
  uses: ["busy"],
  model: "long",
  prepare: (turns) => turns.slice(0, 3),
} satisfies Partial<ConversationPlant>;

/** Of six drafted tokens the first two are right. */
const drafted: ConversationPlant = {
  ...onBusyEngine,
  id: "drafts-rejected",
  causes: ["rejected_drafts"],
  settings: { sound: { ...SOUND, draftTokens: 2 }, spoilt: { ...SOUND, draftTokens: 6 } },
  spoil: (turns) => turns,
};
const crowded: ConversationPlant = {
  ...onBusyEngine,
  id: "prompts-beside",
  causes: ["prefill_interference"],
  settings: { sound: SOUND, spoilt: SOUND },
  spoil: inTurn(1, (_turn, { crowd }) => ({ meanwhile: crowd })),
};
/** Whole prompts are computed while decoding waits. */
const stalled: ConversationPlant = {
  ...crowded,
  id: "prompts-between",
  settings: { sound: { ...SOUND, chunkedPrefill: false }, spoilt: { ...SOUND, chunkedPrefill: false } },
};

export const TIME_PLANTS: readonly ConversationPlant[] = [
  slow,
  moved,
  retokenized,
  held,
  drafted,
  crowded,
  stalled,
  combine("clock+held", held, clock),
];
