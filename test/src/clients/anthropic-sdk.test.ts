/** Anthropic's SDK through the gateway to the engine: a task with tools, turn by turn, streamed and not. */
import Anthropic from "@anthropic-ai/sdk";
import type { CallRow } from "@centspan/model";
import { describe, expect, inject, it } from "vitest";
import { findRows } from "../stack/find-rows.ts";
import { unique } from "./exporting.ts";

type Turn = Anthropic.Message;
type Params = Anthropic.MessageCreateParamsNonStreaming;

const MODEL = "scripted-strong";
const createClient = (headers: Record<string, string> = {}, apiKey = inject("connection").gatewayKey): Anthropic =>
  new Anthropic({ baseURL: inject("connection").gatewayUrl, apiKey, maxRetries: 0, defaultHeaders: headers });

const tool = (name: string): Anthropic.Tool => ({
  name,
  description: `${name} in the repository`,
  input_schema: { type: "object", properties: { path: { type: "string" } } },
});

const firstRequest: Params = {
  model: MODEL,
  max_tokens: 4096,
  system: [
    {
      type: "text",
      text: "You repair small programs and run their tests before and after each change. ".repeat(8),
      cache_control: { type: "ephemeral" },
    },
  ],
  tools: ["list_files", "read_file", "edit_file", "run_tests"].map(tool),
  messages: [{ role: "user", content: "Task: lru-cache-overwrite\nRepository: acme/cache\n\nThe cache shrinks." }],
};

/** The tests fail until a file was edited. */
function createTools(): (call: Anthropic.ToolUseBlock) => Anthropic.ToolResultBlockParam {
  let edited = false;
  return ({ id, name, input }) => {
    edited ||= name === "edit_file";
    const content = name === "run_tests" ? `exit code: ${edited ? 0 : 1}\n` : `${name} ${JSON.stringify(input)}`;
    return { type: "tool_result", tool_use_id: id, content };
  };
}

/** Goes on until the model calls no tool any more. */
async function runTask(ask: (params: Params) => Promise<Turn>): Promise<Turn[]> {
  const useTool = createTools();
  const turns: Turn[] = [];
  const messages = [...firstRequest.messages];
  do {
    const turn = await ask({ ...firstRequest, messages });
    turns.push(turn);
    const calls = turn.content.filter((block) => block.type === "tool_use");
    messages.push({ role: "assistant", content: turn.content }, { role: "user", content: calls.map(useTool) });
  } while (turns.at(-1)?.stop_reason === "tool_use");
  return turns;
}

const WAYS: [string, (client: Anthropic) => (params: Params) => Promise<Turn>][] = [
  ["whole", (client) => (params) => client.messages.create(params)],
  [
    "streamed",
    (client) => async (params) => {
      const stream = client.messages.stream(params);
      let text = "";
      stream.on("text", (delta) => (text += delta));
      const message = await stream.finalMessage();
      const said = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      expect(text).toBe(said.join(""));
      return message;
    },
  ],
];

describe.each(WAYS)("the Anthropic SDK, answers %s", (way, askBy) => {
  it("runs a task with tools; each turn is a call with what it cost", async () => {
    const session = unique(`anthropic-${way}`);
    const client = createClient({ "x-centspan-session": session, "x-centspan-task": session });
    const { input_tokens: counted } = await client.messages.countTokens({
      model: MODEL,
      system: firstRequest.system ?? "",
      tools: firstRequest.tools ?? [],
      messages: firstRequest.messages,
    });
    const turns = await runTask(askBy(client));
    expect(turns.map((turn) => turn.stop_reason)).toEqual(["tool_use", "tool_use", "tool_use", "end_turn"]);
    const called = turns.flatMap(({ content }) => content.flatMap((block) => (block.type === "tool_use" ? block : [])));
    expect(called.map(({ name }) => name)).toEqual([
      ...["list_files", "read_file", "read_file", "read_file", "run_tests"],
      ...["edit_file", "run_tests"],
    ]);
    expect(called[1]?.input).toEqual({ path: "src/lru.js" });
    const [first] = turns;
    expect((first?.usage.input_tokens ?? 0) + (first?.usage.cache_read_input_tokens ?? 0)).toBe(counted);
    for (const { usage } of turns.slice(1)) expect(usage.cache_read_input_tokens).toBeGreaterThan(0);

    const isRated = (rows: CallRow[]): boolean => rows.every(({ costStatus }) => costStatus === "rated");
    const calls = await findRows<CallRow>(`/calls?task=${session}`, turns.length, isRated);
    expect(calls.length).toBe(turns.length);
    for (const { id, usage } of turns) {
      const call = calls.find(({ responseId }) => responseId === id);
      expect(call).toMatchObject({
        model: MODEL,
        source: "gateway",
        sessionId: session,
        provenance: "simulated",
        buckets: {
          input: usage.input_tokens,
          cacheRead: usage.cache_read_input_tokens,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
        },
      });
      const { outputText, outputReasoning } = call?.buckets ?? {};
      expect((outputText ?? 0) + (outputReasoning ?? 0)).toBe(usage.output_tokens);
      expect(Number(call?.costUsd)).toBeGreaterThan(0);
    }
  });
});

it("the Anthropic SDK knows our errors for its own", async () => {
  await expect(createClient({}, "cs_gateway_unknown").messages.create(firstRequest)).rejects.toBeInstanceOf(
    Anthropic.AuthenticationError,
  );
  const client = createClient();
  await expect(client.messages.create({ ...firstRequest, model: "claude-x" })).rejects.toMatchObject({
    status: 404,
    type: "not_found_error",
  });
  await expect(client.messages.create({ ...firstRequest, max_tokens: 0 })).rejects.toBeInstanceOf(
    Anthropic.BadRequestError,
  );
});
