/**
 * One inference request from parsed body to answer, whatever its protocol: finds the player, counts the prompt, plans the
 * output, queues it in the engine, and streams or collects what comes. A client that goes away cancels.
 */
import { randomBytes } from "node:crypto";
import { CentspanError } from "@centspan/base";
import type { Conversation } from "@centspan/model";
import type { ServingRequest } from "@centspan/serving";
import { hashPrefixBlocks } from "@centspan/tokens";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Engine } from "./engine.ts";
import { type OutputPlan, planOutput } from "./plan-output.ts";
import type { Usage, Writer, WriterOptions } from "./wire/writer.ts";

export type Ask = {
  model: string;
  conversation: Conversation;
  /** Where in the body the prompt is, for errors. */
  promptField: string;
  promptTokenIds: number[] | undefined;
  maxOutputTokens: number | undefined;
  stream: boolean;
  idPrefix: string;
  createWriter(options: WriterOptions): Writer;
};

export async function answer(engine: Engine, ask: Ask, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const player = engine.players.find(ask.model);
  const promptIds = ask.promptTokenIds ?? [...engine.deltaTokenizer.tokenize(ask.conversation).ids];
  const room = engine.contextTokens - promptIds.length;
  if (promptIds.length === 0) throw promptError(ask, "is empty");
  if (room < 1)
    throw promptError(ask, `has ${promptIds.length} tokens; with an answer at most ${engine.contextTokens} fit`);
  const turn = player.answer(ask.conversation);
  const plan = planOutput(engine.tokenizer, turn, Math.min(ask.maxOutputTokens ?? room, room));
  const id = `${ask.idPrefix}${randomBytes(12).toString("hex")}`;
  const writer = ask.createWriter({ id, model: ask.model, createdAtS: Math.floor(Date.now() / 1000), plan });
  await generate(engine, { id, promptIds, plan, writer, stream: ask.stream }, request, reply);
}

const promptError = (ask: Ask, what: string): CentspanError =>
  new CentspanError("invalid_request", `${ask.promptField}: ${what}`, { field: ask.promptField });

type Job = { id: string; promptIds: number[]; plan: OutputPlan; writer: Writer; stream: boolean };

/** Resolves when the answer is out, or the client gone. */
function generate(engine: Engine, job: Job, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { id, promptIds, plan, writer } = job;
  const socket = reply.raw;
  return new Promise<void>((resolve, reject) => {
    let over = false;
    const finish = (last: () => void): void => {
      over = true;
      last();
      resolve();
    };
    const generation = engine.start({
      id,
      promptTokens: promptIds.length,
      outputTokens: plan.tokens.length,
      blockKeys: hashPrefixBlocks([...promptIds, ...plan.ids], engine.blockTokens),
      headers: request.headers,
      ...readThread(request.headers),
      waitsFor: plan.finishReason === "tool_calls" ? "tool" : "person",
      onBegun({ cachedTokens }) {
        const events = writer.begin({ inputTokens: promptIds.length, cachedTokens });
        if (job.stream && events !== "") socket.write(events);
      },
      onToken(index) {
        const events = writer.token(index);
        if (job.stream && events !== "") socket.write(events);
      },
      onFinished({ cachedTokens }) {
        const events = writer.finish(describeUsage(promptIds.length, cachedTokens, plan));
        finish(() => (job.stream ? socket.end(events) : reply.send(writer.result())));
      },
      onFailed(error) {
        if (job.stream) finish(() => socket.end(writer.fail(error)));
        else {
          over = true;
          reject(error);
        }
      },
    });
    socket.once("close", () => {
      if (!over) finish(() => generation.cancel());
    });
    if (!job.stream) return;
    reply.hijack();
    socket.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    socket.write(writer.start());
  });
}

const describeUsage = (inputTokens: number, cachedTokens: number, plan: OutputPlan): Usage => ({
  inputTokens,
  cachedTokens,
  outputTokens: plan.tokens.length,
  reasoningTokens: plan.reasoningTokens,
});

/** Whose request it is and who waits for it, where the gateway says so. The main thread of a run has the run's own id. */
function readThread(headers: FastifyRequest["headers"]): Pick<ServingRequest, "thread" | "priority"> {
  const read = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const runId = read("x-centspan-run") ?? read("x-centspan-session");
  return {
    ...(runId !== undefined && { thread: { runId, threadId: read("x-centspan-thread") ?? runId } }),
    ...(read("x-centspan-priority") === "batch" && { priority: "batch" }),
  };
}
