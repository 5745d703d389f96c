/**
 * An inference protocol as the gateway sees it: one file each, joined in registry.ts.
 * A protocol reads: what the request asks, and what the answer's events say about the call. It never rewrites an answer.
 * What our own errors look like to its clients is its own, too.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { CentspanError } from "@centspan/base";
import { type ApiShape, type Counts, type PayloadUsage, readPayload } from "@centspan/dialects";
import type { Conversation } from "@centspan/model";
import { z } from "zod";
import type { OutputReader } from "../content/output-parts.ts";
import type { PromptLayout } from "../prefix/read-prompt.ts";

/** What the gateway needs to know of a request. */
export type InferenceRequest = RequestFacts & { conversation: Conversation };

/** All but what it says: this is small, and known until its answer has ended. */
export type RequestFacts = {
  model: string;
  stream: boolean;
  /** Reasoning effort asked for; "" when none was. */
  effort: string;
  /** The thread the client caches its prompt under; "" when it names none. */
  cacheKey: string;
  /** The most that one answer may have, where it says so. */
  maxOutputTokens: number | null;
  /** How many answers it asks for. */
  answers: number;
  /** Top-level members to add to what goes upstream, so that it reports usage. */
  additions: Record<string, unknown>;
  /** True when the client did not ask for the usage chunk that was asked for on its behalf. */
  hidesUsageChunk: boolean;
};

/** A name that an answer says. What is too long for one, or none at all, counts as not said. */
export const saidName = z.string().max(512).nullish().catch(undefined);

/** Usage as the upstream reported it; input includes cached tokens. */
export type ReportedUsage = Counts & { input: number };

/** What an answer has said so far. Absent facts stay undefined: nothing here is a default. */
export type CallFacts = {
  responseId?: string | undefined;
  model?: string | undefined;
  /** What the upstream told of usage, in its own way of counting. */
  reported?: PayloadUsage;
  usage?: ReportedUsage | undefined;
  /** Usage as it was at the beginning: more may have been generated since. */
  usagePartial?: boolean | undefined;
  /** What was generated, for where nobody else counts it: the beginning of it as text, and all of it in characters. */
  said: { text: string; chars: number };
  finishReasons: string[];
  /** How many answers were asked for in one. */
  readonly answers: number;
  /** The model has said all it will; only bookkeeping may follow. */
  generated: boolean;
  failed: boolean;
};

export const createCallFacts = (answers = 1): CallFacts => ({
  said: { text: "", chars: 0 },
  finishReasons: [],
  answers,
  generated: false,
  failed: false,
});

/**
 * Takes what an answer, or an event of one, tells of usage into `facts`. Usage that is not what the API says counts as
 * not reported; it is never guessed.
 */
export function noteUsage(facts: CallFacts, shape: ApiShape, carrier: unknown): void {
  const reported = readPayload(shape, carrier, facts.reported);
  if (!reported) return;
  const { counts } = reported;
  const { input, cacheRead = 0, cacheWrite = 0 } = counts;
  if (input === undefined || Object.values(counts).some((count) => !(count >= 0))) return;
  facts.reported = reported;
  facts.usage = { ...counts, input: shape.inputIncludesCached ? input : input + cacheRead + cacheWrite };
}

/** As much as is counted token by token; of what is longer the rest is taken to be like it. */
const MAX_SAID_CHARS = 16 * 1024;
/** Members of what a model says that are no part of what it generates. */
const UNSAID = new Set([
  "role",
  "type",
  "id",
  "call_id",
  "status",
  "signature",
  "finish_reason",
  "logprobs",
  "annotations",
]);

/** Takes the texts of an answer, or of a piece of one, into `facts`: what the model says, thinks and calls tools with. */
export function noteSaid({ said }: CallFacts, value: unknown): void {
  const note = (inner: unknown): void => {
    if (typeof inner === "string") {
      said.chars += inner.length;
      if (said.text.length < MAX_SAID_CHARS) said.text += inner.slice(0, MAX_SAID_CHARS - said.text.length);
    } else if (Array.isArray(inner)) inner.forEach(note);
    else if (typeof inner === "object" && inner !== null) {
      for (const [name, member] of Object.entries(inner)) if (!UNSAID.has(name)) note(member);
    }
  };
  note(value);
}

/** What one stream event is to the gateway. */
export type EventMeaning = {
  /** It carries something the model generated. */
  output: boolean;
  /** It is the chunk that holds usage and nothing else. */
  usageOnly: boolean;
};

export type InferenceProtocol = {
  id: string;
  describe: string;
  /** The operation of its calls, by the GenAI conventions. */
  operation: "chat" | "embeddings";
  route: string;
  /** Where its prompts stand; absent where nobody caches them. */
  layout?: PromptLayout;
  /**
   * The answer's header by whose value the client's own telemetry will name the call; null, or none of this, where it is
   * named by the response's id.
   */
  callIdHeader?(headers: IncomingHttpHeaders): string | null;
  readRequest(body: unknown): z.ZodSafeParseResult<InferenceRequest>;
  /** Names of the top-level members that it reads. */
  members: ReadonlySet<string>;
  /** Path of the member that asks for a reasoning effort. */
  effortField?: string;
  /** Top-level members that ask for that reasoning effort; absent where the protocol knows none. */
  writeEffort?(body: unknown, effort: string): Record<string, unknown>;
  /** Top-level members that bound an answer; absent where every request has its bound, or nothing is generated. */
  writeOutputLimit?(tokens: number): Record<string, unknown>;
  /** Adds marks to cache up to, where it takes them; returns how many. `json` is what the members say, not yet checked. */
  placeBreakpoints?(members: Map<string, string>, json: Readonly<Record<string, unknown>>, model: string): number;
  /** What its answers say, for keys that want it recorded. */
  output?: OutputReader;
  /** Takes what the event's data says into `facts`. */
  readEvent(data: string, facts: CallFacts): EventMeaning;
  /** Takes what a whole answer says into `facts`. */
  readAnswer(body: unknown, facts: CallFacts): void;
  /** An error instead of an answer: the JSON of its body. */
  writeError(error: CentspanError): object;
  /** An error in a stream that has begun. */
  writeStreamError(error: CentspanError): string;
};

export const defineProtocol = (protocol: InferenceProtocol): InferenceProtocol => protocol;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
