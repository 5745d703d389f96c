/** A dialect: where one emitter puts the facts of a model call. Data, not code: candidates are tried in order. */
export type Dialect = {
  id: string;
  describe: string;
  /** An attribute (or scope) whose presence tells this dialect; the first dialect that matches reads the span. */
  recognise: { attributes?: readonly string[]; scopes?: readonly string[] };
  inputIncludesCached: boolean;
  outputIncludesReasoning: boolean;
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
  };
};
export const defineDialect = (dialect: Dialect): Dialect => dialect;
