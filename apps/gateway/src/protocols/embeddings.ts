/** OpenAI's embeddings: POST /v1/embeddings. Texts in, vectors out; nothing is generated. */
import { apiShapes } from "@centspan/dialects";
import { type ConversationItem, modelName, toOpenAiError } from "@centspan/model";
import { z } from "zod";
import { defineProtocol, noteUsage, saidName } from "./protocol.ts";

const tokenIds = z.array(z.int().nonnegative()).min(1);

const bodySchema = z.looseObject({
  model: modelName,
  input: z.union([z.string(), z.array(z.string()).min(1), tokenIds, z.array(tokenIds).min(1)]),
});
const requestSchema = bodySchema.transform(({ model, input }) => ({
  model,
  stream: false,
  effort: "",
  cacheKey: "",
  conversation: { instructions: "", tools: [], items: listTexts(input).map(toItem) },
  maxOutputTokens: null,
  answers: 1,
  additions: {},
  hidesUsageChunk: false,
}));

const listTexts = (input: string | readonly unknown[]): string[] =>
  typeof input === "string" ? [input] : input.filter((text) => typeof text === "string");

const toItem = (text: string): ConversationItem => ({ type: "message", role: "user", text });

const answerSchema = z.looseObject({
  model: saidName,
});

export default defineProtocol({
  id: "openai-embeddings",
  describe: "OpenAI embeddings over HTTP",
  operation: "embeddings",
  route: "/v1/embeddings",
  readRequest: (body) => requestSchema.safeParse(body),
  members: new Set(Object.keys(bodySchema.shape)),
  readEvent: () => ({ output: false, usageOnly: false }),
  readAnswer(body, facts) {
    const answer = answerSchema.safeParse(body).data;
    facts.model = answer?.model ?? facts.model;
    noteUsage(facts, apiShapes.chat, answer);
    facts.generated = true;
  },
  writeError: toOpenAiError,
  writeStreamError: (error) => `data: ${JSON.stringify(toOpenAiError(error))}\n\n`,
});
