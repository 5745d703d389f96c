/** A Responses request → a Chat Completions request. */
import { type ResponsesRequest, responsesRequestSchema } from "@centspan/model";
import { z } from "zod";
import {
  addCall,
  type ChatMessage,
  type ChatPart,
  chooseFunction,
  copyMembers,
  joinParts,
  leaveOut,
  listUnsaid,
  read,
  refuse,
  writeSchemaFormat,
} from "./chat-parts.ts";
import {
  type ChatTools,
  describeFound,
  isForClient,
  nameFunction,
  SEARCH_NAME,
  toolList,
  writeTools,
} from "./responses-tools.ts";

export type ResponsesAsChat = {
  request: Record<string, unknown>;
  tools: ChatTools;
  dropped: string[];
  responses: ResponsesRequest;
};

/** Members by their names there. `max_tokens` is the older name, which every server takes. */
const COPIED = {
  model: "model",
  temperature: "temperature",
  top_p: "top_p",
  stream: "stream",
  user: "user",
  prompt_token_ids: "prompt_token_ids",
  max_output_tokens: "max_tokens",
};
/** Members that are said in another way, or that concern nobody but a provider that stores responses. */
const SAID_OTHERWISE = new Set([
  ...Object.keys(COPIED),
  ...["input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text", "type"],
  ...["store", "metadata", "client_metadata", "include", "prompt_cache_key", "safety_identifier", "truncation"],
]);

/** What only who keeps responses can answer: without it the model would know nothing of what was before. */
const KEPT_ELSEWHERE = ["previous_response_id", "conversation", "prompt", "background"];

/** `json` has passed the schema of Responses requests. */
export function writeResponsesAsChat(json: unknown): ResponsesAsChat {
  const responses = responsesRequestSchema.parse(json);
  const source = z.record(z.string(), z.unknown()).parse(json);
  for (const name of KEPT_ELSEWHERE) if (source[name]) throw refuse(name, source[name]);
  const input = z.union([z.string(), z.array(itemSchema)]).parse(source.input);
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const tools = writeTools([
    ...toolList.parse(source.tools ?? []),
    ...items.flatMap(({ type, tools: more }, index) =>
      BRING_TOOLS.has(type) ? read(toolList, more ?? [], `input[${index}].tools`) : [],
    ),
  ]);
  const dropped = [...listUnsaid(source, SAID_OTHERWISE), ...tools.dropped];
  const messages = writeMessages(items, dropped);
  if (typeof source.instructions === "string" && source.instructions !== "") {
    messages.unshift({ role: "system", content: source.instructions });
  }
  const request: Record<string, unknown> = { ...copyMembers(source, COPIED), messages };
  if (tools.list.length > 0) {
    request.tools = tools.list;
    if (source.parallel_tool_calls != null) request.parallel_tool_calls = source.parallel_tool_calls;
    if (source.tool_choice != null) request.tool_choice = writeToolChoice(source.tool_choice, dropped);
  }
  if (responses.reasoning?.effort != null) request.reasoning_effort = responses.reasoning.effort;
  const format = writeFormat(source.text, dropped);
  if (format !== null) request.response_format = format;
  return { request, tools, dropped, responses };
}

/** Some models get their tools as an item of the input, and what is found is there from then on. */
const BRING_TOOLS = new Set(["additional_tools", "tool_search_output"]);

const itemSchema = z.looseObject({ type: z.string().default("message") });
const choiceSchema = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({ type: z.enum(["function", "custom"]), name: z.string(), namespace: z.string().optional() }),
]);

function writeToolChoice(choice: unknown, dropped: string[]): unknown {
  const parsed = choiceSchema.safeParse(choice).data;
  if (parsed === undefined) {
    dropped.push("tool_choice");
    return "auto";
  }
  return typeof parsed === "string" ? parsed : chooseFunction(nameFunction(parsed));
}

const textSchema = z.looseObject({
  format: z
    .looseObject({
      type: z.string(),
      name: z.string().optional(),
      schema: z.unknown().optional(),
      strict: z.boolean().nullish(),
    })
    .nullish(),
});

function writeFormat(text: unknown, dropped: string[]): object | null {
  const { format, ...others } = read(textSchema, text ?? {}, "text");
  dropped.push(...listUnsaid(others, new Set()).map((name) => `text.${name}`));
  if (format == null || format.type === "text") return null;
  if (format.type !== "json_schema") return { type: format.type };
  const { name = "answer", schema, strict } = format;
  return writeSchemaFormat(name, schema, strict);
}

const messageSchema = z.looseObject({ role: z.string(), content: z.unknown() });
const callSchema = z.looseObject({ call_id: z.string(), name: z.string(), namespace: z.string().optional() });
const resultSchema = z.looseObject({ call_id: z.string(), output: z.unknown() });
const searchSchema = z.looseObject({ call_id: z.string() });

function writeMessages(items: readonly InputItem[], dropped: string[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let shown: ChatPart[] = [];
  /** A tool's message is text by the protocol: what its tools show is shown by the user, behind all that they say. */
  const show = (): void => {
    if (shown.length > 0) messages.push({ role: "user", content: shown });
    shown = [];
  };
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    switch (item.type) {
      case "message": {
        const { role, content } = messageSchema.parse(item);
        show();
        messages.push({
          role: role === "developer" ? "system" : role,
          content: writeContent(content, `${path}.content`),
        });
        break;
      }
      case "function_call": {
        const call = callSchema.parse(item);
        show();
        addCall(messages, call.call_id, nameFunction(call), String(item.arguments ?? "{}"));
        break;
      }
      case "custom_tool_call": {
        const call = callSchema.parse(item);
        show();
        addCall(messages, call.call_id, nameFunction(call), JSON.stringify({ input: item.input }));
        break;
      }
      case "function_call_output":
      case "custom_tool_call_output": {
        const { call_id: id, output } = resultSchema.parse(item);
        const parts = writeParts(output, `${path}.output`);
        messages.push({ role: "tool", tool_call_id: id, content: joinParts(parts.filter(isText)) });
        shown.push(...parts.filter((part) => !isText(part)));
        break;
      }
      case "tool_search_call":
        show();
        writeSearch(item, path, messages, dropped);
        break;
      case "tool_search_output":
        writeSearch(item, path, messages, dropped);
        break;
      // What a model thought is not said again.
      case "reasoning":
        leaveOut(dropped, "input: reasoning");
        break;
      // Read before.
      case "additional_tools":
        break;
      default:
        throw refuse(`${path}.type`, item.type);
    }
  }
  show();
  return messages;
}

type InputItem = z.infer<typeof itemSchema>;

/** A client's own; of a provider's nothing is said. */
function writeSearch(item: InputItem, path: string, messages: ChatMessage[], dropped: string[]): void {
  if (!isForClient(item.execution)) {
    leaveOut(dropped, `input: ${item.type}`);
    return;
  }
  const { call_id: id } = read(searchSchema, item, path);
  if (item.type === "tool_search_call") addCall(messages, id, SEARCH_NAME, JSON.stringify(item.arguments ?? {}));
  else {
    const tools = read(toolList, item.tools ?? [], `${path}.tools`);
    messages.push({ role: "tool", tool_call_id: id, content: describeFound(tools, `${path}.tools`) });
  }
}

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.string().nullish(),
  detail: z.string().nullish(),
});

const isText = ({ type }: ChatPart): boolean => type === "text";

const writeContent = (content: unknown, path: string): unknown => joinParts(writeParts(content, path));

function writeParts(content: unknown, path: string): ChatPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const parts = read(z.array(partSchema), content ?? [], path);
  return parts.map((part, index): ChatPart => {
    if (part.type === "input_image" && part.image_url != null) {
      const detail = part.detail == null ? {} : { detail: part.detail };
      return { type: "image_url", image_url: { url: part.image_url, ...detail } };
    }
    const text = part.text ?? part.refusal;
    if (text !== undefined) return { type: "text", text };
    throw refuse(`${path}[${index}].type`, part.type);
  });
}
