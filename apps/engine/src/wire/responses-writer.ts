/** Answers in the shape of OpenAI's Responses API. */
import type { ResponsesRequest } from "@centspan/model";
import type { OutputPart } from "../plan-output.ts";
import { deriveItemId, type Usage, type Writer, type WriterOptions } from "./writer.ts";

type ItemStatus = "in_progress" | "completed" | "incomplete";

type WireEvent = { type: string; [field: string]: unknown };

/** An output item under way: how it looks now, and which events its text makes. */
type OpenItem = {
  index: number;
  part: number;
  text: string;
  describe(status: ItemStatus): object;
  opened(): WireEvent[];
  /** Null for text that is not shown. */
  delta(text: string): WireEvent | null;
  closed(): WireEvent[];
};

type ResponsesWriterOptions = WriterOptions & { request: ResponsesRequest };

export function createResponsesWriter(options: ResponsesWriterOptions): Writer {
  const { id, plan } = options;
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

  const openItem = (part: number): string => {
    const kind = plan.parts[part];
    if (!kind) throw new Error(`the plan has no part ${part}`);
    item = createItem(kind, { responseId: id, index: output.length, part });
    const added = { type: "response.output_item.added", output_index: item.index, item: item.describe("in_progress") };
    return send(added) + item.opened().map(send).join("");
  };

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
    token(index) {
      const token = plan.tokens[index];
      if (!token) throw new Error(`the plan has no token ${index}`);
      const before = item?.part === token.part ? "" : closeItem("completed") + openItem(token.part);
      if (token.text === "" || !item) return before;
      item.text += token.text;
      const delta = item.delta(token.text);
      return delta ? before + send(delta) : before;
    },
    finish(usage) {
      const cut = plan.finishReason === "length";
      const closed = closeItem(cut ? "incomplete" : "completed");
      const status = cut ? "incomplete" : "completed";
      const details = cut ? { incomplete_details: { reason: "max_output_tokens" } } : {};
      final = describe(status, { ...details, usage: describeUsage(usage) });
      return closed + send({ type: `response.${status}`, response: final });
    },
    fail(error) {
      const failed = describe("failed", { error: { code: error.code, message: error.message } });
      return send({ type: "response.failed", response: failed });
    },
    result: () => final,
  };
}

/** The response object; what changes while it is made comes in `state`. */
const describeResponse = ({ id, model, createdAtS, request }: ResponsesWriterOptions, state: object): object => ({
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
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
  store: false,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: request.tools ?? [],
  truncation: "disabled",
  usage: null,
  metadata: {},
  ...state,
});

const describeUsage = (usage: Usage): object => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});

type Place = { responseId: string; index: number; part: number };

function createItem(part: OutputPart, place: Place): OpenItem {
  switch (part.kind) {
    case "reasoning":
      return createReasoningItem(place);
    case "text":
      return createMessageItem(place);
    case "call":
      return createCallItem(part.name, place);
  }
}

/** Hidden reasoning: an item without content. */
function createReasoningItem({ responseId, index, part }: Place): OpenItem {
  const id = deriveItemId("rs", responseId, index);
  return {
    index,
    part,
    text: "",
    describe: () => ({ id, type: "reasoning", summary: [] }),
    opened: () => [],
    delta: () => null,
    closed: () => [],
  };
}

function createMessageItem({ responseId, index, part }: Place): OpenItem {
  const id = deriveItemId("msg", responseId, index);
  const at = { item_id: id, output_index: index, content_index: 0 };
  const content = (text: string): object => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const item: OpenItem = {
    index,
    part,
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

function createCallItem(name: string, { responseId, index, part }: Place): OpenItem {
  const id = deriveItemId("fc", responseId, index);
  const callId = deriveItemId("call", responseId, index);
  const at = { item_id: id, output_index: index };
  const item: OpenItem = {
    index,
    part,
    text: "",
    describe: (status) => ({ id, type: "function_call", status, name, call_id: callId, arguments: item.text }),
    opened: () => [],
    delta: (text) => ({ type: "response.function_call_arguments.delta", ...at, delta: text }),
    closed: () => [{ type: "response.function_call_arguments.done", ...at, name, arguments: item.text }],
  };
  return item;
}
