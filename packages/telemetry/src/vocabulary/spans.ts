/** Spans by name: of which layer each is, and what it tells. */
type SpanDefinition = { layer: "harness" | "api" | "inference"; kind: "internal" | "server" | "client"; says: string };

/** Span names; `{…}` marks the part that varies. */
export const SPANS = {
  "invoke_agent {agent}": { layer: "harness", kind: "internal", says: "one run: task, role, outcome, budget" },
  "loop.turn": { layer: "harness", kind: "internal", says: "one turn: context by section, bytes, transport, prefix" },
  "context.build": { layer: "harness", kind: "internal", says: "what was appended and whether the prefix stayed" },
  "approval.wait": { layer: "harness", kind: "internal", says: "a call waits for a person's word" },
  "code_mode.run": {
    layer: "harness",
    kind: "internal",
    says: "a program of the model: tools called, how many at once, how it ended",
  },
  "execute_tool {name}": { layer: "harness", kind: "internal", says: "one tool call: sizes, truncation, exit code" },
  tool_search: { layer: "harness", kind: "internal", says: "looking for deferred tools: size of the query, hits" },
  compaction: { layer: "harness", kind: "internal", says: "a context that filled the window summed up by the model" },
  "vcs.commit": {
    layer: "harness",
    kind: "internal",
    says: "a tool of a recorded run made a commit that is in the local clone",
  },
  "vcs.change": { layer: "harness", kind: "internal", says: "a recorded session was linked to a pull request" },
  "POST {route}": { layer: "api", kind: "server", says: "one request: key, bytes, connection reuse, status" },
  "WS {route}": { layer: "api", kind: "server", says: "one request over a WebSocket; a prewarm makes no call" },
  "api.parse": { layer: "api", kind: "internal", says: "reading the body" },
  "api.validate": { layer: "api", kind: "internal", says: "checking it against the protocol" },
  "api.admit": { layer: "api", kind: "internal", says: "authentication, rate limit, budget, each with its verdict" },
  "api.tokenize": { layer: "api", kind: "internal", says: "new and reused tokens" },
  "api.safety": { layer: "api", kind: "internal", says: "check, verdict, policy, overlap with inference" },
  "api.reserve": { layer: "api", kind: "internal", says: "what the call may cost, set aside from its budgets" },
  "api.route": { layer: "api", kind: "internal", says: "candidates and choice" },
  "chat {model}": {
    layer: "api",
    kind: "client",
    says: "the billable call: usage, time to first token, finish reason",
  },
  "chat.begun": {
    layer: "api",
    kind: "internal",
    says: "a call that takes longer than a second has begun: what is left of it if the gateway is lost",
  },
  "egress {host}": {
    layer: "api",
    kind: "client",
    says: "a tunnel or request of a tool through the gateway: key, host, port, verdict, bytes each way",
  },
  "embeddings {model}": { layer: "api", kind: "client", says: "a billable call for vectors: usage" },
  "inference.queue": { layer: "inference", kind: "internal", says: "waiting for a place in the batch" },
  "inference.kv.lookup": { layer: "inference", kind: "internal", says: "hit and miss blocks by tier" },
  "inference.prefill": { layer: "inference", kind: "internal", says: "computing the prompt, in chunks" },
  "inference.decode": {
    layer: "inference",
    kind: "internal",
    says: "generating; links to each engine step that served it",
  },
  "inference.decode.step": {
    layer: "inference",
    kind: "internal",
    says: "one engine step of a replica, linked to the requests in its batch",
  },
  "inference.kv.transfer": {
    layer: "inference",
    kind: "internal",
    says: "keys and values go from the replica that prefilled to the one that decodes",
  },
  "inference.kv.evict": { layer: "inference", kind: "internal", says: "blocks that had to go, by policy" },
} as const satisfies Record<string, SpanDefinition>;

export type SpanTemplate = keyof typeof SPANS;
