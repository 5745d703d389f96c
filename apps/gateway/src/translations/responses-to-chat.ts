/** Responses requests for servers that speak Chat Completions: vLLM, SGLang, llama.cpp, Ollama. */
import chat from "../protocols/chat-completions.ts";
import { createChatAnswerTranslator } from "./chat-answer.ts";
import { writeChatRequest } from "./chat-request.ts";
import type { Translation } from "./translation.ts";

export default {
  from: "openai-responses",
  to: chat,
  translate(json) {
    const { request, customTools, dropped, responses } = writeChatRequest(json);
    return { json: request, dropped, answer: createChatAnswerTranslator(responses, customTools) };
  },
} satisfies Translation;
