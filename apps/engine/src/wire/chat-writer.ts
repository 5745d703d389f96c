/** Answers in the shape of OpenAI's Chat Completions API. Reasoning is counted, not shown. */
import type { ChatRequest } from "@centspan/model";
import { deriveItemId } from "@centspan/model";
import type { Usage, Writer, WriterOptions } from "./writer.ts";

type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

export function createChatWriter(options: WriterOptions & { request: ChatRequest }): Writer {
  const { id, model, createdAtS, plan, request } = options;
  const asksUsage = request.stream_options?.include_usage === true;
  const toolCalls: ToolCall[] = [];
  let text = "";
  let openPart = -1;
  let final: object | null = null;

  const send = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const chunk = (choices: object[], usage: object | null = null): string =>
    send({
      id,
      object: "chat.completion.chunk",
      created: createdAtS,
      model,
      choices,
      ...(asksUsage ? { usage } : {}),
    });
  const delta = (content: object, finishReason: string | null = null): string =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finishReason }]);

  const openCall = (name: string): string => {
    const index = toolCalls.length;
    const call: ToolCall = {
      id: deriveItemId("call", id, index),
      type: "function",
      function: { name, arguments: "" },
    };
    const event = delta({ tool_calls: [{ index, ...call, function: { ...call.function } }] });
    toolCalls.push(call);
    return event;
  };

  return {
    start: () => delta({ role: "assistant", content: "", refusal: null }),
    begin: () => "",
    token(index) {
      const token = plan.tokens[index];
      const part = token && plan.parts[token.part];
      if (!part) throw new Error(`the plan has no token ${index}`);
      const opened = part.kind === "call" && token.part !== openPart ? openCall(part.name) : "";
      openPart = token.part;
      if (token.text === "" || part.kind === "reasoning") return opened;
      if (part.kind === "text") {
        text += token.text;
        return delta({ content: token.text });
      }
      const call = toolCalls.at(-1);
      if (call) call.function.arguments += token.text;
      return opened + delta({ tool_calls: [{ index: toolCalls.length - 1, function: { arguments: token.text } }] });
    },
    finish(usage) {
      final = {
        id,
        object: "chat.completion",
        created: createdAtS,
        model,
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: text === "" ? null : text,
              refusal: null,
              ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
            },
            logprobs: null,
            finish_reason: plan.finishReason,
          },
        ],
        usage: describeUsage(usage),
      };
      const last = asksUsage ? chunk([], describeUsage(usage)) : "";
      return `${delta({}, plan.finishReason)}${last}data: [DONE]\n\n`;
    },
    fail: (error) => send({ error: { message: error.message, type: "server_error", code: error.code, param: null } }),
    result: () => final,
  };
}

const describeUsage = (usage: Usage): object => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
});
