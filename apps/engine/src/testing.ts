/** For tests: an engine in this process, with its spans kept, and a client that reads whole streams. */
import { createWallClock } from "@centspan/base";
import { listen } from "@centspan/service";
import { createMemoryExporter, startTelemetry } from "@centspan/telemetry";
import { configSchema } from "./config.ts";
import { openEngine } from "./engine.ts";
import { createWallTime } from "./pace.ts";
import { createEngineServer } from "./server.ts";

const exporter = createMemoryExporter();
const telemetry = startTelemetry({ service: "engine-test", version: "0", otlpUrl: "", ingestKey: "", exporter });

/** What the tests read of Responses bodies, items and events. */
export type ResponsesWire = {
  type?: string;
  status?: string;
  sequence_number?: number;
  output_index?: number;
  delta?: string;
  item?: ResponsesWire;
  response?: ResponsesWire;
  output?: ResponsesWire[];
  content?: { text: string }[];
  name?: string;
  arguments?: string;
  call_id?: string;
  detail?: string;
  usage?: {
    input_tokens: number;
    input_tokens_details: { cached_tokens: number };
    output_tokens: number;
    output_tokens_details: { reasoning_tokens: number };
    total_tokens: number;
  };
};

type ToolCallWire = { index?: number; function: { name?: string; arguments: string } };

/** What the tests read of Chat Completions bodies and chunks. */
export type ChatWire = {
  object?: string;
  choices: {
    finish_reason: string | null;
    delta?: { content?: string; tool_calls?: ToolCallWire[] };
    message?: { content: string; tool_calls?: ToolCallWire[] };
  }[];
  usage?: null | {
    completion_tokens: number;
    prompt_tokens_details: { cached_tokens: number };
    completion_tokens_details: { reasoning_tokens: number };
  };
};

export type MessagesBlock = { type: string; id?: string; name?: string; text?: string; input?: unknown };

type MessagesUsage = {
  input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
};

/** What the tests read of Messages bodies and events. */
export type MessagesWire = {
  type?: string;
  index?: number;
  content?: MessagesBlock[];
  content_block?: MessagesBlock;
  delta?: { text?: string; partial_json?: string; stop_reason?: string };
  message?: MessagesWire;
  stop_reason?: string;
  usage?: MessagesUsage;
};

export async function startTestEngine(settings: Record<string, string> = {}) {
  const config = configSchema.parse({ CENTSPAN_PORT: "0", CENTSPAN_TIME_SCALE: "0.01", ...settings });
  const engine = await openEngine(config, telemetry.tracer, createWallTime(createWallClock()));
  const app = createEngineServer(engine);
  const url = await listen(app, { host: "127.0.0.1", port: 0 });
  const post = (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    });
  return {
    engine,
    url,
    post,
    async json<T = ResponsesWire>(
      path: string,
      body: unknown,
      init?: RequestInit,
    ): Promise<{ status: number; body: T }> {
      const response = await post(path, body, init);
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    /** The data of each server-sent event; `[DONE]` stays text. */
    async events<T = ResponsesWire>(path: string, body: object, init?: RequestInit): Promise<T[]> {
      const response = await post(path, { ...body, stream: true }, init);
      return readEvents<T>(await response.text());
    },
    /** Spans ended since the last call. */
    async takeSpans() {
      await telemetry.flush();
      const spans = [...exporter.getFinishedSpans()];
      exporter.reset();
      return spans;
    },
    async stop(): Promise<void> {
      await engine.stop();
      await app.close();
    },
  };
}

export function readEvents<T = ResponsesWire>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .map((data) => JSON.parse(data === "[DONE]" ? '"[DONE]"' : data));
}

/** Waits for what another part of the process will make true. */
export async function until(condition: () => boolean, deadlineMs = 5_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
