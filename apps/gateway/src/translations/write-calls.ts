/**
 * Calls of tools as their pieces come, each said as one item. Pieces of several calls may come in turns, and items are said one
 * after the other: a call waits until the one before has all of its arguments, or until there is no more to come.
 */
import { CentspanError } from "@centspan/base";
import type { ResponsesPart } from "@centspan/model";
import { z } from "zod";
import { parseJson } from "../protocols/protocol.ts";
import { createCallTeller } from "./tell-calls-apart.ts";

export const toolCallSchema = z.looseObject({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

export type ItemWriter = {
  /** Ends the part before. */
  open(part: ResponsesPart): string;
  /** More text of the open part. */
  append(text: string): string;
};

type Call = { name: string; callId?: string; text: string };

/** What kind of tool it calls, by its name. */
export type CallKind = Extract<ResponsesPart, { name: string }>["kind"];
export type TellKind = (name: string) => CallKind;

export type CallsWriter = {
  /** The pieces of one event, or all calls of a whole answer. */
  add(pieces: readonly z.infer<typeof toolCallSchema>[]): string;
  /** Something else comes, or nothing. */
  end(): string;
};

/** What tools of free text are called with is known when all of it is there. */
export function createCallsWriter(writer: ItemWriter, kindOf: TellKind): CallsWriter {
  const tellCalls = createCallTeller();
  const calls = new Map<number, Call>();
  const waiting = new Set<Call>();
  let open: Call | null = null;
  const takesText = ({ name }: Call): boolean => kindOf(name) === "custom_call";

  const close = (): string => {
    const ended = open;
    open = null;
    return ended !== null && takesText(ended) ? writer.append(readInput(ended.text)) : "";
  };
  const begin = (call: Call): string => {
    const { text, ...called } = call;
    const events = close() + writer.open({ kind: kindOf(call.name), ...called });
    open = call;
    return takesText(call) ? events : events + writer.append(text);
  };
  const addPiece = ({ id, function: said }: z.infer<typeof toolCallSchema>, number: number): string => {
    const text = said?.arguments ?? "";
    const known = calls.get(number);
    if (known === undefined) {
      const call = { name: said?.name ?? "", ...(id && { callId: id }), text };
      calls.set(number, call);
      if (open === null || isWhole(open)) return begin(call);
      waiting.add(call);
      return "";
    }
    known.text += text;
    if (known === open) return takesText(known) ? "" : writer.append(text);
    if (text === "" || waiting.has(known)) return "";
    throw new CentspanError("upstream_failed", "the model server said more of a call that had ended");
  };

  return {
    add: (pieces) => tellCalls(pieces).reduce((events, number, at) => events + addPiece(pieces[at] ?? {}, number), ""),
    end() {
      let events = "";
      for (const call of waiting) events += begin(call);
      waiting.clear();
      return events + close();
    },
  };
}

const isWhole = ({ text }: Call): boolean => text.trimEnd().endsWith("}") && parseJson(text) !== undefined;

/** A model that did not keep to the one argument is taken at its word. */
function readInput(text: string): string {
  const parsed = z.looseObject({ input: z.string() }).safeParse(parseJson(text));
  return parsed.success ? parsed.data.input : text;
}
