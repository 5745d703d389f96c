/** What is planted into conversations, cause by cause, where it costs money. */
import type { Random } from "@centspan/base";
import type { Tool } from "./agent.ts";
import { type ConversationPlant, callTool, combine, eachTurn, inTurn } from "./conversation-plant.ts";
import { makeTool, nonce, shuffle, write } from "./words.ts";

export const writeClock = (text: string, n: number): string => {
  const [first = "", ...rest] = text.split(" ");
  return [
    first,
    `Today is ${["Monday", "Tuesday", "Friday"][n % 3]}, 2026-11-${10 + (n % 20)} ${10 + (n % 14)}:${10 + n}.`,
    ...rest,
  ].join(" ");
};

export function turnKeys(tool: Tool, random: Random): Tool {
  const { properties, ...others } = Object(tool.parameters);
  const turned = Object.fromEntries(shuffle(random, Object.entries(properties)));
  return { ...tool, parameters: { properties: turned, ...Object.fromEntries(Object.entries(others).reverse()) } };
}

/** Another order than the one before. */
function reorder(tools: readonly Tool[], random: Random): Tool[] {
  const order = shuffle(random, tools);
  return order.some((tool, index) => tool !== tools[index]) ? order : order.reverse();
}

const WORDS_BEYOND = 16_000;
const cut = (text: string): string =>
  `${text.slice(0, 20_000)}\n[${text.length - 40_000} characters cut]\n${text.slice(-20_000)}`;

export const clock: ConversationPlant = {
  id: "clock",
  causes: ["prefix_system"],
  model: "plain",
  spoil: eachTurn((turn, n) => ({ instructions: writeClock(turn.instructions, n) })),
};
const toolOrder: ConversationPlant = {
  id: "tool-order",
  causes: ["prefix_tools"],
  model: "plain",
  spoil(turns, { random }) {
    let tools = turns[0]?.tools ?? [];
    return turns.map((turn, n) => {
      if (n > 0) tools = reorder(tools, random);
      return { ...turn, tools };
    });
  },
};
const keyOrder: ConversationPlant = {
  id: "key-order",
  causes: ["prefix_tools"],
  model: "plain",
  spoil: eachTurn(({ tools }, n, { random }) => ({
    tools: tools.map((tool, at) => (at === 0 && n % 2 === 1 ? turnKeys(tool, random) : tool)),
  })),
};
const rewritten: ConversationPlant = {
  id: "history-rewritten",
  causes: ["prefix_history"],
  model: "plain",
  spoil: eachTurn((_turn, n, { random }) =>
    n === 0
      ? {}
      : {
          rewrite: (items) =>
            items.map((item, at) =>
              at === 1
                ? { ...item, content: `${nonce(random)} ${String(item.content).split(" ").slice(1).join(" ")}` }
                : item,
            ),
        },
  ),
};
const settings: ConversationPlant = {
  id: "effort-switched",
  causes: ["prefix_settings"],
  model: "keyed",
  spoil: inTurn(3, () => ({ effort: "high" })),
};
const neverCached: ConversationPlant = {
  id: "never-cached",
  causes: ["history_resent"],
  model: "keyed",
  spoil: eachTurn(() => ({ headers: { "x-bench-cache": "off" } })),
};
const unused: ConversationPlant = {
  id: "unused-tools",
  causes: ["unused_tools"],
  model: "plain",
  spoil(turns, { random }) {
    const more = Array.from({ length: 12 + Math.floor(random.next() * 12) }, (_, n) =>
      makeTool(random, `extra_${n}`, 60),
    );
    return turns.map((turn) => ({ ...turn, tools: [...turn.tools, ...more] }));
  },
};
const failed: ConversationPlant = {
  id: "failed",
  causes: ["failed_attempt"],
  model: "plain",
  spoil: (turns) => turns,
  outcome: "failed",
};
const retry: ConversationPlant = {
  id: "retry",
  causes: ["retry"],
  model: "plain",
  spoil: inTurn(3, () => ({ asksTwice: true })),
};
const aborted: ConversationPlant = {
  id: "aborted",
  causes: ["aborted_stream"],
  model: "plain",
  spoil: inTurn(2, () => ({ leavesAfterBytes: 1_500 })),
};
const routed: ConversationPlant = {
  id: "routed",
  causes: ["routing_miss"],
  model: "plain",
  spoil: inTurn(4, () => ({ headers: { "x-centspan-region": "b" } })),
};
const evicted: ConversationPlant = {
  id: "evicted",
  causes: ["evicted_prefill"],
  model: "small",
  spoil: inTurn(4, (_turn, { flood }) => ({ before: flood })),
};

/** What an agent that cuts outputs sends; with the plant they are whole. */
const OVERSIZED_AT = 2;
const oversized: ConversationPlant = {
  id: "oversized",
  causes: ["oversized_output"],
  model: "plain",
  prepare: inTurn(OVERSIZED_AT, (turn, { random }) => {
    const text = write(random, WORDS_BEYOND);
    const [call = {}, result = {}] = callTool(90, "read", cut(text));
    return { news: [call, { ...result, whole: text }, ...turn.news] };
  }),
  spoil: eachTurn(({ news }) => ({
    news: news.map((item) => ("whole" in item ? { ...item, output: item.whole } : item)),
  })),
};

/** In conversations of the corpus's own agent, by what they cost. */
export const COST_PLANTS: readonly ConversationPlant[] = [
  clock,
  toolOrder,
  keyOrder,
  rewritten,
  settings,
  neverCached,
  unused,
  oversized,
  retry,
  aborted,
  routed,
  evicted,
  failed,
  combine("clock+unused", clock, unused),
  combine("tool-order+retry", toolOrder, retry),
  combine("history+unused+failed", rewritten, unused, failed),
];
