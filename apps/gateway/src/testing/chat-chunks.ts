/** For tests only: what a Chat Completions server streams, and the events that a translation makes of it. */
export const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: "c", model: "served", choices: [{ index: 0, delta, ...more }] });

export const call = (index: number, name: string | undefined, text: string, id?: string) => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
});

export const usage = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } },
});

/** A model that thinks, says something and calls two tools. */
export const TURN = [
  chunk({ role: "assistant", reasoning_content: "hm" }),
  chunk({ content: "he" }),
  chunk({ content: "llo" }),
  chunk(call(0, "run", '{"x"', "id-0")),
  chunk(call(0, undefined, ":1}")),
  chunk(call(1, "run", "{}", "id-1")),
  chunk({}, { finish_reason: "tool_calls" }),
  usage,
  "[DONE]",
];

export type SentEvent = { type: string; [member: string]: unknown };

export const readEvents = (text: string): SentEvent[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)));
