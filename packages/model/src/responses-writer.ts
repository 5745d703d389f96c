/**
 * Writes an answer in the shape of OpenAI's Responses API: its events as they come, and the whole object at the end.
 * Pure: what it returns depends on the calls alone. Facts: platform.openai.com/docs/api-reference/responses-streaming.
 */
import type { ResponsesRequest } from "./protocol-responses.ts";

/** What an output item is. Without a call id one is derived from the answer's. */
export type ResponsesPart =
  | { kind: "text" }
  /** `hidden`: the item stands there without content. */
  | { kind: "reasoning"; hidden: boolean }
  | ({ kind: "call" } & CalledTool)
  /** A call of a tool that takes free text. */
  | ({ kind: "custom_call" } & CalledTool)
  /** The client is to look for more tools. */
  | ({ kind: "search_call" } & CalledTool);

/** `namespace`: of a tool that stands in one. */
type CalledTool = { name: string; namespace?: string; callId?: string };

export type ResponsesUsage = {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
};

export type ResponsesOptions = { id: string; model: string; createdAtS: number; request: Partial<ResponsesRequest> };

/** All but `result` return server-sent events, ready for the wire. */
export type ResponsesWriter = {
  start(): string;
  /** Ends the item before. */
  open(part: ResponsesPart): string;
  /** More text of the open item. */
  append(text: string): string;
  /** Null usage was not reported. `cut`: the answer ends because of that, not because it is complete. */
  finish(usage: ResponsesUsage | null, cut?: "max_output_tokens" | "content_filter"): string;
  fail(error: { code: string; message: string }): string;
  /** The answer as one object, once finished. */
  result(): unknown;
};

type ItemStatus = "in_progress" | "completed" | "incomplete";
type WireEvent = { type: string; [field: string]: unknown };

/** An output item under way: how it looks now, and which events its text makes. */
type OpenItem = {
  index: number;
  text: string;
  describe(status: ItemStatus): object;
  opened(): WireEvent[];
  /** Null for text that is not shown. */
  delta(text: string): WireEvent | null;
  closed(): WireEvent[];
};

export function createResponsesWriter(options: ResponsesOptions): ResponsesWriter {
  const output: object[] = [];
  let item: OpenItem | null = null;
  let sequence = 0;
  let final: object | null = null;

  const send = (event: WireEvent): string => {
    const data = { ...event, sequence_number: sequence++ };
    return `event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
  };
  const describe = (status: string, more: object = {}): object =>
    describeResponse(options, { status, output: [...output], ...more });

  const closeItem = (status: ItemStatus): string => {
    if (!item) return "";
    const done = item.describe(status);
    const end: WireEvent = { type: "response.output_item.done", output_index: item.index, item: done };
    const events = [...item.closed(), end];
    output.push(done);
    item = null;
    return events.map(send).join("");
  };

  return {
    start: () =>
      send({ type: "response.created", response: describe("in_progress") }) +
      send({ type: "response.in_progress", response: describe("in_progress") }),
    open(part) {
      const before = closeItem("completed");
      item = createItem(part, { responseId: options.id, index: output.length });
      const added = {
        type: "response.output_item.added",
        output_index: item.index,
        item: item.describe("in_progress"),
      };
      return before + send(added) + item.opened().map(send).join("");
    },
    append(text) {
      if (!item || text === "") return "";
      item.text += text;
      const delta = item.delta(text);
      return delta ? send(delta) : "";
    },
    finish(usage, cut) {
      const status = cut === undefined ? "completed" : "incomplete";
      const closed = closeItem(status);
      const details = cut === undefined ? {} : { incomplete_details: { reason: cut } };
      final = describe(status, { ...details, usage: usage && describeUsage(usage) });
      return closed + send({ type: `response.${status}`, response: final });
    },
    fail: ({ code, message }) =>
      send({ type: "response.failed", response: describe("failed", { error: { code, message } }) }),
    result: () => final,
  };
}

/** `call_…`, `msg_…`: unique because the answer's id is. */
export const deriveItemId = (prefix: string, answerId: string, index: number): string =>
  `${prefix}_${answerId.replace(/^[a-z]+[-_]/, "")}${index.toString().padStart(2, "0")}`;

/** The response object; what changes while it is made comes in `state`. */
const describeResponse = ({ id, model, createdAtS, request }: ResponsesOptions, state: object): object => ({
  ...DEFAULTS,
  ...pickSettings(request),
  id,
  object: "response",
  created_at: createdAtS,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: request.instructions ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  model,
  output: [],
  previous_response_id: null,
  reasoning: { summary: null, ...request.reasoning, effort: request.reasoning?.effort ?? null },
  // Nothing is kept, whatever was asked for.
  store: false,
  tools: request.tools ?? [],
  usage: null,
  ...state,
});

/** What holds for settings that a request leaves out. */
const DEFAULTS = {
  parallel_tool_calls: true,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  truncation: "disabled",
  metadata: {},
};

/** Those that a response repeats as they were given. */
const SETTINGS = [...Object.keys(DEFAULTS), "temperature", "top_p"];

const pickSettings = (request: Record<string, unknown>): object =>
  Object.fromEntries(SETTINGS.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])));

const describeUsage = (usage: ResponsesUsage): object => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});

type Place = { responseId: string; index: number };

function createItem(part: ResponsesPart, place: Place): OpenItem {
  switch (part.kind) {
    case "reasoning":
      return createReasoningItem(part.hidden, place);
    case "text":
      return createMessageItem(place);
    case "call":
      return createCallItem({ type: "function_call", prefix: "fc", field: "arguments", ...part }, place);
    case "custom_call":
      return createCallItem({ type: "custom_tool_call", prefix: "ctc", field: "input", ...part }, place);
    case "search_call":
      return createSearchItem(part.callId, place);
  }
}

function createReasoningItem(hidden: boolean, { responseId, index }: Place): OpenItem {
  const id = deriveItemId("rs", responseId, index);
  const at = { item_id: id, output_index: index, content_index: 0 };
  const item: OpenItem = {
    index,
    text: "",
    describe: (status) => ({
      id,
      type: "reasoning",
      summary: [],
      ...(!hidden && status !== "in_progress" && { content: [{ type: "reasoning_text", text: item.text }] }),
    }),
    opened: () => [],
    delta: (text) => (hidden ? null : { type: "response.reasoning_text.delta", ...at, delta: text }),
    closed: () => (hidden ? [] : [{ type: "response.reasoning_text.done", ...at, text: item.text }]),
  };
  return item;
}

function createMessageItem({ responseId, index }: Place): OpenItem {
  const id = deriveItemId("msg", responseId, index);
  const at = { item_id: id, output_index: index, content_index: 0 };
  const content = (text: string): object => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const item: OpenItem = {
    index,
    text: "",
    describe: (status) => ({
      id,
      type: "message",
      status,
      role: "assistant",
      content: status === "in_progress" ? [] : [content(item.text)],
    }),
    opened: () => [{ type: "response.content_part.added", ...at, part: content("") }],
    delta: (text) => ({ type: "response.output_text.delta", ...at, delta: text, logprobs: [] }),
    closed: () => [
      { type: "response.output_text.done", ...at, text: item.text, logprobs: [] },
      { type: "response.content_part.done", ...at, part: content(item.text) },
    ],
  };
  return item;
}

type CallShape = {
  type: "function_call" | "custom_tool_call";
  prefix: string;
  /** Member that holds what the tool is called with. */
  field: "arguments" | "input";
} & CalledTool;

function createCallItem({ type, prefix, field, name, ...shape }: CallShape, { responseId, index }: Place): OpenItem {
  const id = deriveItemId(prefix, responseId, index);
  const callId = shape.callId ?? deriveItemId("call", responseId, index);
  const at = { item_id: id, output_index: index };
  const event = type === "function_call" ? "response.function_call_arguments" : "response.custom_tool_call_input";
  const item: OpenItem = {
    index,
    text: "",
    describe: (status) => ({
      id,
      type,
      status,
      name,
      ...(shape.namespace !== undefined && { namespace: shape.namespace }),
      call_id: callId,
      [field]: item.text,
    }),
    opened: () => [],
    delta: (text) => ({ type: `${event}.delta`, ...at, delta: text }),
    closed: () => [{ type: `${event}.done`, ...at, name, [field]: item.text }],
  };
  return item;
}

/** What is looked for is said as an object, and so with the whole item. */
function createSearchItem(callId: string | undefined, { responseId, index }: Place): OpenItem {
  const item: OpenItem = {
    index,
    text: "",
    describe: (status) => ({
      id: deriveItemId("tsc", responseId, index),
      type: "tool_search_call",
      status,
      call_id: callId ?? deriveItemId("call", responseId, index),
      execution: "client",
      arguments: status === "in_progress" ? {} : readArguments(item.text),
    }),
    opened: () => [],
    delta: () => null,
    closed: () => [],
  };
  return item;
}

/** A model that says no object is taken at its word. */
function readArguments(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}
