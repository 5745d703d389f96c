/**
 * A dialect: where one emitter puts the facts of a model call, for each signal it sends. Data, not code: one small
 * interpreter (packages/dialects) reads all of them, and nothing branches on a dialect's id.
 */

/**
 * Where a fact is found: the text of an attribute. With `path` that text is JSON and the fact is what stands there (an
 * empty path: the whole). With `matching` other texts are no fact: some names are used for two things.
 */
export type Place = string | { attribute: string; path?: readonly string[]; matching?: RegExp };

/** Whole numbers of tokens, written as integer, double or text. */
export const COUNT_FIELDS = [
  "input",
  /** Prompt tokens that the input count leaves out, such as those of tool results with Gemini. */
  "inputBeside",
  "output",
  "cacheRead",
  "cacheWrite",
  /** Those of the cache writes that live for five minutes, and for an hour. */
  "cacheWrite5m",
  "cacheWrite1h",
  /** Those of the input tokens that were not read from cache. */
  "cacheMiss",
  "reasoning",
  /** Those of the input and output tokens that are audio. They have no meter, so such a call is set aside. */
  "audioInput",
  "audioOutput",
  "total",
  /** Uses, not tokens. */
  "webSearches",
] as const;
export type CountField = (typeof COUNT_FIELDS)[number];

export type TextField =
  | "requestModel"
  | "responseModel"
  | "provider"
  /** Of the response, or of the request where that is what the emitter knows the call by. */
  | "responseId"
  /** A second id, of the request, where some of the emitter's records have only that. */
  | "requestId"
  | "sessionId"
  | "serviceTier"
  | "region"
  /** The host that was asked, which may tell the region. */
  | "serverAddress"
  | "effort"
  /** The key and team that the emitter itself knows the caller by. */
  | "keyId"
  | "key"
  | "team";

/** Candidates are tried in order. `costUsd` is the sender's own figure. */
export type Fields = Partial<Record<CountField | TextField | "costUsd", readonly Place[]>>;

/** What an emitter's counts include. */
export type Counting = {
  inputIncludesCached: boolean;
  outputIncludesReasoning: boolean;
  /** No emitter says that its input leaves cached tokens out, but all of its releases that look like this do. */
  inputIsInferred?: boolean;
  /** Cache attributes found in the field with both meanings: a call that has one is ambiguous unless its numbers decide. */
  ambiguousCached?: readonly string[];
};

/** An attribute with one of some values. */
export type Mark = { attribute: string; values: readonly string[] };

/** How a record of a call is read. */
export type CallLayout = Counting & {
  fields: Fields;
  /** Time to the first token: milliseconds, seconds, or the instant (ISO 8601) at which it came. */
  firstToken?: readonly { place: Place; unit: "ms" | "s" | "instant" }[];
};

export type SpanLayout = CallLayout & {
  /** One of the scopes or places suffices; the marks, where given, must all hold besides. */
  recognise: { scopes?: readonly string[]; places?: readonly Place[]; marks?: readonly Mark[] };
  /** What marks the emitter's spans of one model call, and those that stand for many, such as an agent's run. */
  modelSpan?: Mark;
  agentSpan?: Mark;
  /**
   * For an emitter whose usage span is bare: the name of the span around one request. What the usage span does not say
   * is read from the spans above it, and another observer's report from within that request is of the same response.
   */
  requestSpan?: string;
};

export type LogLayout = CallLayout & {
  events: readonly { name: string; marks?: readonly Mark[] }[];
  /**
   * For an emitter whose records name neither span nor response: how far from the end of a span of the same session
   * with the same counts a record may lie to be of the same call.
   */
  joinsWithinS?: number;
};

export type MetricLayout = Counting & {
  /** Where given, only metrics of these scopes: a name may be several emitters'. */
  scopes?: readonly string[];
  /** A counter or histogram of tokens; `type` is the attribute that says which. */
  tokens: { name: string; type: string; counts: Readonly<Record<string, CountField>> };
  /** Whether a histogram has one value for each call, so that their number is that of calls. */
  oneValuePerCall?: boolean;
  /** Counters or histograms of money, under one name or another. */
  costUsd?: readonly string[];
  fields: Pick<Fields, "requestModel" | "responseModel" | "provider" | "sessionId">;
};

export type Dialect = {
  id: string;
  describe: string;
  /** Emitters often write the standard names beside their own: the highest precedence reads (0 when absent). */
  precedence?: number;
  /** Provider where the emitter names none. */
  defaultProvider?: string;
  /** Of several that match the first reads. */
  spans?: readonly SpanLayout[];
  logs?: readonly LogLayout[];
  metrics?: readonly MetricLayout[];
};

export const defineDialect = (dialect: Dialect): Dialect => dialect;
