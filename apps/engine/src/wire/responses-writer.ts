/** Answers in the shape of OpenAI's Responses API. */
import { createResponsesWriter as createEvents, type ResponsesPart, type ResponsesRequest } from "@centspan/model";
import type { OutputPart } from "../plan-output.ts";
import type { Writer, WriterOptions } from "./writer.ts";

type ResponsesWriterOptions = WriterOptions & { request: ResponsesRequest };

export function createResponsesWriter({ plan, ...options }: ResponsesWriterOptions): Writer {
  const events = createEvents(options);
  let open = -1;
  return {
    start: () => events.start(),
    begin: () => "",
    token(index) {
      const token = plan.tokens[index];
      const part = token && plan.parts[token.part];
      if (!token || !part) throw new Error(`the plan has no token ${index}`);
      const opened = token.part === open ? "" : events.open(describePart(part));
      open = token.part;
      return opened + events.append(token.text);
    },
    finish: (usage) => events.finish(usage, plan.finishReason === "length" ? "max_output_tokens" : undefined),
    fail: (error) => events.fail(error),
    result: () => events.result(),
  };
}

const describePart = (part: OutputPart): ResponsesPart =>
  part.kind === "reasoning" ? { kind: "reasoning", hidden: true } : part;
