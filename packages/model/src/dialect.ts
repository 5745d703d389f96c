/** A dialect: where one emitter puts the facts of a model call. Data, not code: candidates are tried in order. */
export type Dialect = {
  id: string;
  describe: string;
  /**
   * An attribute or scope whose presence tells this dialect. Where several match, the highest precedence reads the
   * span (0 when absent): emitters often write the standard names beside their own.
   */
  recognise: { attributes?: readonly string[]; scopes?: readonly string[]; precedence?: number };
  inputIncludesCached: boolean;
  outputIncludesReasoning: boolean;
  /** Cache attributes found in the field with both meanings: a call that has one is ambiguous unless its numbers decide. */
  ambiguousCached?: readonly string[];
  /**
   * For an emitter whose usage span is bare: the name of the span around one request. What the usage span does not say
   * is read from the spans above it, and another observer's report from within that request is of the same response.
   */
  requestSpan?: string;
  /** Provider where the span names none. */
  defaultProvider?: string;
  fields: {
    input: readonly string[];
    output: readonly string[];
    cacheRead: readonly string[];
    cacheWrite: readonly string[];
    reasoning: readonly string[];
    total: readonly string[];
    requestModel: readonly string[];
    responseModel: readonly string[];
    provider: readonly string[];
    responseId: readonly string[];
    sessionId: readonly string[];
    serviceTier: readonly string[];
    effort: readonly string[];
    /** The sender's own figure in USD. */
    cost?: readonly string[];
  };
};
export const defineDialect = (dialect: Dialect): Dialect => dialect;
