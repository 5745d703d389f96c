/** A Responses request → a Chat Completions request. */
import { CentspanError } from "@centspan/base";
import { type ResponsesRequest, responsesRequestSchema } from "@centspan/model";
import { z } from "zod";
import { formatPath } from "../format-path.ts";

export type ChatRequestText = {
  request: Record<string, unknown>;
  /** Tools that take free text. The other side knows only tools with named arguments: theirs has one, `input`. */
  customTools: ReadonlySet<string>;
  dropped: string[];
  responses: ResponsesRequest;
};

type ChatMessage = { role: string; content?: unknown; tool_calls?: object[]; tool_call_id?: string };

/** Members that mean the same there. */
const SAME = ["model", "temperature", "top_p", "parallel_tool_calls", "stream", "user", "prompt_token_ids"] as const;
/** Members with another name there. `max_tokens` is the older name, which every server takes. */
const RENAMED = { max_output_tokens: "max_tokens" } as const;
/** Members that are said in another way, or that concern nobody but a provider that stores responses. */
const SAID_OTHERWISE = new Set([
  ...SAME,
  ...Object.keys(RENAMED),
  ...["input", "instructions", "tools", "tool_choice", "reasoning", "text", "type"],
  ...["store", "metadata", "client_metadata", "include", "prompt_cache_key", "safety_identifier", "truncation"],
]);

/** `json` has passed the schema of Responses requests. */
export function writeChatRequest(json: unknown): ChatRequestText {
  const responses = responsesRequestSchema.parse(json);
  const source = z.record(z.string(), z.unknown()).parse(json);
  const input = z.union([z.string(), z.array(itemSchema)]).parse(source.input);
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const tools = writeTools([
    ...toolList.parse(source.tools ?? []),
    // Some models get their tools as an item of the input.
    ...items.flatMap(({ type, tools: more }, index) =>
      type === "additional_tools" ? read(toolList, more ?? [], `input[${index}].tools`) : [],
    ),
  ]);
  const messages = writeMessages(items);
  if (typeof source.instructions === "string" && source.instructions !== "") {
    messages.unshift({ role: "system", content: source.instructions });
  }
  const unsaid = Object.keys(source).filter((name) => !SAID_OTHERWISE.has(name) && source[name] != null);
  const request: Record<string, unknown> = { messages };
  for (const name of SAME) if (source[name] != null) request[name] = source[name];
  for (const [name, other] of Object.entries(RENAMED)) if (source[name] != null) request[other] = source[name];
  if (tools.list.length > 0) request.tools = tools.list;
  if (tools.list.length > 0 && source.tool_choice != null) request.tool_choice = writeToolChoice(source.tool_choice);
  if (responses.reasoning?.effort != null) request.reasoning_effort = responses.reasoning.effort;
  const format = writeFormat(source.text);
  if (format !== null) request.response_format = format;
  if (source.stream === true) request.stream_options = { include_usage: true };
  return { request, customTools: tools.custom, dropped: [...unsaid, ...tools.dropped], responses };
}

const itemSchema = z.looseObject({ type: z.string().default("message") });
const toolList = z.array(z.looseObject({ type: z.string(), name: z.string().optional() }));

function writeTools(tools: z.infer<typeof toolList>) {
  const list: object[] = [];
  const custom = new Set<string>();
  const dropped: string[] = [];
  for (const [index, tool] of tools.entries()) {
    const { type, name = "", description } = tool;
    if (type === "function") {
      const { parameters, strict } = tool;
      list.push({
        type,
        function: { name, description, parameters: parameters ?? {}, ...(strict != null && { strict }) },
      });
    } else if (type === "custom") {
      custom.add(name);
      list.push({ type: "function", function: { name, description, parameters: FREE_TEXT } });
    } else dropped.push(`tools[${index}]: ${type}`);
  }
  return { list, custom, dropped };
}

const FREE_TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "The tool's whole input." } },
  required: ["input"],
  additionalProperties: false,
};

const choiceSchema = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({ type: z.enum(["function", "custom"]), name: z.string() }),
]);

function writeToolChoice(choice: unknown): unknown {
  const parsed = choiceSchema.safeParse(choice).data;
  if (parsed === undefined) return "auto";
  return typeof parsed === "string" ? parsed : { type: "function", function: { name: parsed.name } };
}

const formatSchema = z.looseObject({
  format: z.looseObject({
    type: z.string(),
    name: z.string().optional(),
    schema: z.unknown().optional(),
    strict: z.boolean().nullish(),
  }),
});

function writeFormat(text: unknown): object | null {
  const format = formatSchema.safeParse(text).data?.format;
  if (format === undefined || format.type === "text") return null;
  if (format.type !== "json_schema") return { type: format.type };
  const { name = "answer", schema, strict } = format;
  return { type: "json_schema", json_schema: { name, schema, ...(strict != null && { strict }) } };
}

const messageSchema = z.looseObject({ role: z.string(), content: z.unknown() });
const callSchema = z.looseObject({ call_id: z.string(), name: z.string() });
const resultSchema = z.looseObject({ call_id: z.string(), output: z.unknown() });

function writeMessages(items: readonly z.infer<typeof itemSchema>[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  /** Calls belong to the message of the model that makes them. */
  const addCall = (id: string, name: string, text: string): void => {
    const last = messages.at(-1);
    const call = { id, type: "function", function: { name, arguments: text } };
    if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
    else messages.push({ role: "assistant", content: null, tool_calls: [call] });
  };
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    switch (item.type) {
      case "message": {
        const { role, content } = messageSchema.parse(item);
        messages.push({
          role: role === "developer" ? "system" : role,
          content: writeContent(content, `${path}.content`),
        });
        break;
      }
      case "function_call": {
        const { call_id: id, name } = callSchema.parse(item);
        addCall(id, name, String(item.arguments ?? "{}"));
        break;
      }
      case "custom_tool_call": {
        const { call_id: id, name } = callSchema.parse(item);
        addCall(id, name, JSON.stringify({ input: item.input }));
        break;
      }
      case "function_call_output":
      case "custom_tool_call_output": {
        const { call_id: id, output } = resultSchema.parse(item);
        messages.push({ role: "tool", tool_call_id: id, content: writeContent(output, `${path}.output`) });
        break;
      }
      // What a model thought is not said again; its tools were read before.
      case "reasoning":
      case "additional_tools":
        break;
      default:
        throw refuse(`${path}.type`, `${JSON.stringify(item.type)} has no counterpart in Chat Completions`);
    }
  }
  return messages;
}

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.string().nullish(),
  detail: z.string().nullish(),
});

/** Text alone is a text: older servers take nothing else. */
function writeContent(content: unknown, path: string): unknown {
  if (typeof content === "string") return content;
  const parts = read(z.array(partSchema), content ?? [], path);
  const written = parts.map((part, index) => {
    if (part.type === "input_image" && part.image_url != null) {
      const detail = part.detail == null ? {} : { detail: part.detail };
      return { type: "image_url", image_url: { url: part.image_url, ...detail } };
    }
    const text = part.text ?? part.refusal;
    if (text !== undefined) return { type: "text", text };
    throw refuse(`${path}[${index}].type`, `${JSON.stringify(part.type)} has no counterpart in Chat Completions`);
  });
  const texts = written.flatMap((part) => ("text" in part ? [part.text] : []));
  return texts.length === written.length ? texts.join("\n") : written;
}

/** What the client's protocol lets pass unread is read here for the first time. */
function read<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = formatPath([path, ...(issue?.path ?? [])]);
  throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
}

const refuse = (field: string, problem: string): CentspanError =>
  new CentspanError("invalid_request", `${field}: ${problem}, which is what serves this model`, { field });
