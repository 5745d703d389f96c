/**
 * The span vocabulary: the only source of names, types, units and docs of what the reference stack emits.
 * `gen_ai.*`, `http.*`, `error.*` and `process.*` follow OpenTelemetry's semantic conventions; the rest is `centspan.*`.
 * Add one: an entry here; the compiler then accepts it and the generated docs list it.
 */

type AttributeType = "string" | "int" | "double" | "boolean" | "string[]" | "int[]";
type AttributeDefinition = { type: AttributeType; unit?: string; doc: string };

export const ATTRIBUTES = {
  // Identity, on every span of a run
  "centspan.task.id": { type: "string", doc: "Task whose outcome the work serves; the session where no task is known" },
  "centspan.task.type": { type: "string", doc: "Kind of task, such as bug or feature" },
  "centspan.prompt.title": {
    type: "string",
    doc: "First line of the message that a run answers; only of histories that were imported with their content",
  },
  "centspan.task.title": { type: "string", doc: "What a person would call the task" },
  "centspan.run.id": { type: "string", doc: "One execution of an agent on a task" },
  "centspan.role": { type: "string", doc: "plan, execute or verify" },
  "centspan.team.id": { type: "string", doc: "Team that pays" },
  "centspan.key.id": { type: "string", doc: "Key that paid" },
  "centspan.key.name": { type: "string", doc: "Name of that key" },
  "centspan.attempt": { type: "int", doc: "Which attempt at the task, from 1" },
  "centspan.repository": { type: "string", doc: "Repository worked on" },
  "vcs.repository.url.full": { type: "string", doc: "Address of the repository that the files are a checkout of" },
  "vcs.ref.head.name": { type: "string", doc: "Branch worked on" },
  "vcs.ref.head.type": { type: "string", doc: "branch or tag" },
  "vcs.ref.head.revision": { type: "string", doc: "Commit that work began at" },
  "vcs.change.id": { type: "string", doc: "Number of the pull request that the work is of" },
  "vcs.provider.name": { type: "string", doc: "Code host of the pull request: github or gitlab" },
  "centspan.patch.id": { type: "string", doc: "What a commit changes, by `git patch-id --stable`" },
  "centspan.harness.version": { type: "string", doc: "Version of the agent harness" },
  "centspan.layer": { type: "string", doc: "harness, api or inference" },
  "centspan.provenance": { type: "string", doc: "measured, or simulated where the engine's clock is a model" },
  "gen_ai.conversation.id": { type: "string", doc: "Session" },
  "centspan.thread.id": {
    type: "string",
    doc: "Conversation that a prompt goes on, as a recorded history tells: the session, or one of its agents",
  },
  "centspan.history.marks": {
    type: "string[]",
    doc: "What happened before the call, as a recorded history tells: resumed, forked, compacted",
  },
  "centspan.provider.request_id": { type: "string", doc: "What the provider calls the request" },
  // Harness
  "gen_ai.operation.name": { type: "string", doc: "chat, embeddings, invoke_agent or execute_tool" },
  "gen_ai.agent.name": { type: "string", doc: "Agent" },
  "centspan.budget.usd": { type: "string", unit: "USD", doc: "What the run may spend; exact decimal" },
  "centspan.outcome.status": { type: "string", doc: "passed, failed, partial or unknown, once known" },
  "centspan.run.turns": { type: "int", doc: "Turns the run took" },
  "centspan.run.stop": {
    type: "string",
    doc: "Why the loop ended: answered, incomplete, failed, repeated_failure, unpriced, or the limit reached as max_turns, max_usd, max_tokens or max_seconds",
  },
  "centspan.run.resumed": { type: "boolean", doc: "Whether it goes on from the log of an earlier process" },
  "centspan.run.spent_usd": {
    type: "string",
    unit: "USD",
    doc: "Spent at list prices, as the harness counts; exact decimal",
  },
  "centspan.sandbox.kind": { type: "string", doc: "What confines an agent's programs: namespaces, container or none" },
  "centspan.approval.mode": { type: "string", doc: "never, on-request or on-failure" },
  "centspan.approval.decision": { type: "string", doc: "allowed, refused, or nobody_there" },
  "centspan.code.calls": { type: "int", doc: "Tools that the program called" },
  "centspan.code.parallel": { type: "int", doc: "Most of them under way at once" },
  "centspan.code.end": {
    type: "string",
    doc: "How the program ended: returned, threw, or ended for its time, memory, output or calls",
  },
  "centspan.turn.number": { type: "int", doc: "Turn, from 1" },
  "centspan.context.system_tokens": {
    type: "int",
    unit: "token",
    doc: "Estimated tokens of instructions in the context",
  },
  "centspan.context.tools_tokens": {
    type: "int",
    unit: "token",
    doc: "Estimated tokens of tool schemas in the context",
  },
  "centspan.context.history_tokens": {
    type: "int",
    unit: "token",
    doc: "Estimated tokens of messages and calls in the context",
  },
  "centspan.context.results_tokens": {
    type: "int",
    unit: "token",
    doc: "Estimated tokens of tool results in the context",
  },
  "centspan.context.appended_items": { type: "int", doc: "Items appended since the turn before" },
  "centspan.prefix.fingerprint": { type: "string", doc: "Chained hash of the context as sent" },
  "centspan.prefix.system_fingerprint": { type: "string", doc: "Chained hash of the instructions alone" },
  "centspan.prefix.tools_fingerprint": { type: "string", doc: "Chained hash of the tool schemas alone" },
  "centspan.prefix.history_fingerprint": { type: "string", doc: "Chained hash of messages and calls alone" },
  "centspan.prefix.results_fingerprint": { type: "string", doc: "Chained hash of tool results alone" },
  "centspan.prefix.kept": { type: "boolean", doc: "Whether the context of the turn before is a prefix of this one" },
  "centspan.prefix.diverged_section": { type: "string", doc: "First section that differs where the prefix broke" },
  "centspan.prefix.diverged_path": { type: "string", doc: "JSON path of the first difference" },
  "centspan.prefix.shared_pieces": {
    type: "int",
    doc: "Leading pieces (system texts, tools, items) that the conversation's earlier prompt began with too",
  },
  "centspan.prefix.change": {
    type: "string",
    doc: "What the first difference is: tool_order, tools_added, tools_removed, tool_changed, key_order, clock, text, item_changed or items_dropped",
  },
  "centspan.prefix.known_tokens": {
    type: "int",
    unit: "token",
    doc: "Prompt tokens that the earlier prompt had too, or had in their place, whether a cache can still find them or not",
  },
  "centspan.prefix.before_span_id": { type: "string", doc: "Span of the call whose prompt it is compared with" },
  "centspan.cache.miss_reasons": {
    type: "string[]",
    doc: "What of the request a prompt cache is likely to miss by: model_changed, prompt_cache_key_changed, service_tier_changed, reasoning_effort_changed, verbosity_changed, text_format_changed, system_changed, tools_changed, input_changed, compaction, ttl_passed",
  },
  "centspan.cache.breakpoints_added": { type: "int", doc: "Marks to cache up to that were added on the key's wish" },
  "centspan.cache.tools_sorted": { type: "boolean", doc: "Whether tools were put in order of name on the key's wish" },
  "centspan.transport.kind": { type: "string", doc: "http, sse or websocket" },
  "centspan.transport.bytes_sent": { type: "int", unit: "By", doc: "Request bytes of the turn" },
  "centspan.transport.bytes_received": { type: "int", unit: "By", doc: "Response bytes of the turn" },
  "centspan.transport.handshakes": { type: "int", doc: "WebSockets that had to be opened for the turn" },
  "centspan.transport.incremental": { type: "boolean", doc: "Whether only what is new was sent, or the whole input" },
  "centspan.transport.fallback": { type: "string", doc: "Why a better transport is not used from this turn on" },
  "gen_ai.tool.name": { type: "string", doc: "Tool" },
  "gen_ai.tool.call.id": { type: "string", doc: "Id of the tool call" },
  "gen_ai.tool.call.arguments": {
    type: "string",
    doc: "Arguments as JSON; only of histories that were imported with their content, without recognised secrets",
  },
  "gen_ai.tool.call.result": {
    type: "string",
    doc: "What the tool returned, the beginning of it; only of histories that were imported with their content",
  },
  "centspan.tool.input_bytes": { type: "int", unit: "By", doc: "Size of the arguments" },
  "centspan.tool.output_bytes": { type: "int", unit: "By", doc: "Size of the full output" },
  "centspan.tool.sent_bytes": { type: "int", unit: "By", doc: "Size of what entered the context" },
  "centspan.tool.truncated": { type: "boolean", doc: "Whether the output was cut" },
  "centspan.tool.input_hash": { type: "string", doc: "Hash of the arguments, in place of their text" },
  "centspan.tool.output_hash": { type: "string", doc: "Hash of the output, in place of its text" },
  "centspan.tool.read_only": { type: "boolean", doc: "Whether the tool changes nothing" },
  "centspan.tool.parallel": {
    type: "int",
    doc: "Tool calls of the same turn that ran beside each other, itself included",
  },
  "centspan.tool_search.candidates": { type: "int", doc: "Tools, skills, plug-ins and memories that were searched" },
  "centspan.tool_search.hits": { type: "int", doc: "Of them those that were found" },
  "centspan.compaction.before_tokens": { type: "int", unit: "token", doc: "Context that had become too long" },
  "centspan.compaction.after_tokens": {
    type: "int",
    unit: "token",
    doc: "Estimated context that the run goes on with",
  },
  "centspan.compaction.kept_items": { type: "int", doc: "Items of that context" },
  "centspan.tests.runner": { type: "string", doc: "What ran the tests" },
  "centspan.tests.status": {
    type: "string",
    doc: "passed, failed or unknown, as read from a tool's output: derived, not reported by the runner",
  },
  "centspan.tests.passed": { type: "int", doc: "Passing test cases" },
  "centspan.tests.failed": { type: "int", doc: "Failing test cases" },
  "process.exit.code": { type: "int", doc: "Exit code of the program that was run" },
  // API layer
  "http.request.method": { type: "string", doc: "HTTP method" },
  "http.route": { type: "string", doc: "Route" },
  "http.response.status_code": { type: "int", doc: "HTTP status" },
  "http.request.body.size": { type: "int", unit: "By", doc: "Request body" },
  "http.response.body.size": { type: "int", unit: "By", doc: "Response body" },
  "centspan.cpu.weight": {
    type: "int",
    doc: "Share of the traffic that this gateway's generation of processor should get, in percent of the best one's",
  },
  "centspan.connection.reused": { type: "boolean", doc: "Whether the connection had served a request before" },
  "centspan.retry.ordinal": { type: "int", doc: "0 for the first try of the same content" },
  "centspan.replayed": {
    type: "boolean",
    doc: "Answered with the answer that an earlier request with the same Idempotency-Key got: no call, nothing billed",
  },
  "centspan.verdict": { type: "string", doc: "ok, or the error code the stage ended with" },
  "centspan.verdict.field": { type: "string", doc: "Field that was refused" },
  "centspan.validate.images": { type: "int", doc: "Images of the request, all of them within the limits" },
  "centspan.validate.image_bytes": { type: "int", unit: "By", doc: "Size of those that stand in the request" },
  "centspan.validate.features": {
    type: "string",
    doc: "Pattern of the models among which the features asked for were looked up; absent where the model is not known",
  },
  "centspan.admit.auth": { type: "string", doc: "Verdict of authentication" },
  "centspan.admit.rate_limit": { type: "string", doc: "Verdict of the rate limit" },
  "centspan.admit.budget": { type: "string", doc: "Verdict of the budgets" },
  "centspan.budget.names": { type: "string[]", doc: "Budgets that the request counts in" },
  "centspan.budget.headroom_usd": {
    type: "string",
    unit: "USD",
    doc: "What is left of the one with the least left, as this process knew it last; exact decimal",
  },
  "centspan.budget.reserved_usd": {
    type: "string",
    unit: "USD",
    doc: "Most that the call was taken to cost, set aside until it has ended; exact decimal",
  },
  "centspan.tokens.new": { type: "int", unit: "token", doc: "Prompt tokens tokenized for this request" },
  "centspan.tokens.reused": { type: "int", unit: "token", doc: "Prompt tokens known from earlier requests" },
  "centspan.tools.offered": {
    type: "string[]",
    doc: "Tools of the prompt, in a conversation's first request and whenever they are others than before",
  },
  "centspan.tools.offered_tokens": { type: "int[]", unit: "token", doc: "Tokens of each of them" },
  "centspan.tools.used": { type: "string[]", doc: "Tools that the prompt shows calls of" },
  "centspan.context.oversized_tokens": {
    type: "int",
    unit: "token",
    doc: "Tokens of the prompt's tool results beyond 40,000 bytes of each, where outputs are cut by default",
  },
  "centspan.tokenizer": { type: "string", doc: "Encoding used" },
  "centspan.safety.check": { type: "string", doc: "Safety check" },
  "centspan.safety.policy": {
    type: "string",
    doc: "beside (inference goes on), hold (output waits) or block (inference waits)",
  },
  "centspan.safety.unread": {
    type: "boolean",
    doc: "Let pass without having been read, since the check was away and its settings say so",
  },
  "centspan.safety.overlap_ms": { type: "double", unit: "ms", doc: "Time of the check that ran beside inference" },
  "centspan.route.candidates": { type: "int", doc: "Upstreams that could serve the request" },
  "centspan.route.choice": { type: "string", doc: "Upstream chosen" },
  "centspan.route.reason": { type: "string", doc: "Why it was chosen" },
  "centspan.route.protocol": { type: "string", doc: "Protocol the request was translated to for the upstream" },
  "centspan.translation.dropped": {
    type: "string[]",
    doc: "What of a translated call the other protocol has no words for: of the request, which the model does not see, and of the answer",
  },
  "gen_ai.provider.name": { type: "string", doc: "Provider" },
  "gen_ai.request.model": { type: "string", doc: "Model asked for" },
  "gen_ai.response.model": { type: "string", doc: "Model that answered" },
  "gen_ai.response.id": { type: "string", doc: "Provider's id of the answer" },
  "centspan.request.id": {
    type: "string",
    doc: "What the client knows the call by, where that is not the provider's id of the answer",
  },
  "gen_ai.response.finish_reasons": { type: "string[]", doc: "Why generation ended" },
  "gen_ai.response.time_to_first_chunk": { type: "double", unit: "s", doc: "Time to the first chunk" },
  "gen_ai.usage.input_tokens": { type: "int", unit: "token", doc: "Prompt tokens, cached ones included" },
  "gen_ai.usage.output_tokens": { type: "int", unit: "token", doc: "Generated tokens, reasoning included" },
  "gen_ai.usage.cache_read.input_tokens": { type: "int", unit: "token", doc: "Prompt tokens read from cache" },
  "gen_ai.usage.cache_creation.input_tokens": { type: "int", unit: "token", doc: "Prompt tokens written to cache" },
  "centspan.usage.cache_creation_1h.input_tokens": {
    type: "int",
    unit: "token",
    doc: "Those of the prompt tokens written to cache that live for an hour",
  },
  "gen_ai.usage.total_tokens": { type: "int", unit: "token", doc: "All tokens, as the upstream added them up" },
  "centspan.usage.audio.input_tokens": { type: "int", unit: "token", doc: "Those of the prompt tokens that are audio" },
  "centspan.usage.audio.output_tokens": {
    type: "int",
    unit: "token",
    doc: "Those of the generated tokens that are audio",
  },
  "centspan.usage.web_searches": {
    type: "int",
    doc: "Web searches of the model's provider that the call was charged for",
  },
  "centspan.response.region": {
    type: "string",
    doc: "Where it was inferred, as the upstream says, or else its address",
  },
  "gen_ai.usage.reasoning.output_tokens": { type: "int", unit: "token", doc: "Generated tokens spent on reasoning" },
  "gen_ai.request.reasoning.level": { type: "string", doc: "Reasoning effort asked for" },
  "openai.response.service_tier": { type: "string", doc: "Service tier that was served" },
  "centspan.time_per_output_token": { type: "double", unit: "s", doc: "Time per output token after the first" },
  "gen_ai.system_instructions": {
    type: "string",
    doc: "Instructions as JSON, where the key wants content recorded; recognised secrets are replaced",
  },
  "gen_ai.input.messages": {
    type: "string",
    doc: "Prompt as JSON, the newest of it where it is too long; only where the key wants content recorded",
  },
  "gen_ai.output.messages": {
    type: "string",
    doc: "Answer as JSON; only where the key wants content recorded",
  },
  "centspan.content.truncated": { type: "boolean", doc: "Whether recorded content was cut" },
  "centspan.stream.aborted": { type: "boolean", doc: "Whether the client went away before the end" },
  "centspan.call.pending": {
    type: "boolean",
    doc: "The call above this span was under way when it was written; where that one's own span never came, its process was lost",
  },
  "centspan.usage.partial": {
    type: "boolean",
    doc: "Usage as reported at the beginning: the answer was cut off, and more may have been generated",
  },
  "centspan.usage.missing": { type: "boolean", doc: "Whether the upstream reported no usage" },
  "centspan.usage.counted_input_tokens": {
    type: "int",
    doc: "Prompt as counted by the gateway, where the upstream reported no usage: makes an estimate",
  },
  "centspan.usage.counted_output_tokens": {
    type: "int",
    doc: "Answer as counted by the gateway, where the upstream reported no usage or that of the beginning alone",
  },
  "server.address": { type: "string", doc: "Host that was asked for through the gateway as a proxy" },
  "server.port": { type: "int", doc: "Its port" },
  "centspan.egress.bytes_sent": { type: "int", unit: "By", doc: "What went to the host" },
  "centspan.egress.bytes_received": { type: "int", unit: "By", doc: "What came from it" },
  "centspan.egress.secrets": { type: "string[]", doc: "Placeholders in whose place the host was sent secrets" },
  "centspan.egress.end": {
    type: "string",
    doc: "How a tunnel ended: closed by both sides, broken by one, idle for too long, too old, or by a stop of the gateway",
  },
  // Inference layer
  "centspan.replica.id": { type: "string", doc: "Engine replica" },
  "centspan.queue.depth": { type: "int", doc: "Requests waiting on arrival" },
  "centspan.kv.hit_blocks": { type: "int", doc: "Leading prompt blocks found in the cache" },
  "centspan.kv.miss_blocks": { type: "int", doc: "Prompt blocks not found" },
  "centspan.kv.expired_blocks": {
    type: "int",
    doc: "Of them, those that had been there for as long as the cache keeps any",
  },
  "centspan.kv.hit_tokens": { type: "int", unit: "token", doc: "Prompt tokens served from the cache" },
  "centspan.kv.block_tokens": { type: "int", unit: "token", doc: "Tokens in a block" },
  "centspan.kv.capacity_blocks": { type: "int", doc: "Blocks that the cache of the replica holds" },
  "centspan.engine.max_sequences": { type: "int", doc: "Sequences that may be in a batch" },
  "centspan.engine.token_budget": { type: "int", unit: "token", doc: "Tokens that a step may compute" },
  "centspan.engine.chunked_prefill": {
    type: "boolean",
    doc: "Whether prompts are computed in pieces beside decoding",
  },
  "centspan.engine.router": { type: "string", doc: "What chose the replica" },
  "centspan.engine.draft_tokens": { type: "string", doc: "Tokens proposed in a step, or auto" },
  "centspan.engine.request_id": {
    type: "string",
    doc: "The engine's own name of the request that the span is a part of",
  },
  "centspan.engine.priority": { type: "string", doc: "interactive or batch: whether a person waits" },
  "centspan.engine.thread": {
    type: "string",
    doc: "Run and thread whose requests come one after the other, each after the answer before it, where the client says so",
  },
  "centspan.prompt.tokens": { type: "int", unit: "token", doc: "Tokens of the prompt, found in a cache or not" },
  "centspan.prefix.block_keys": {
    type: "string",
    doc: "Chained hashes of the full blocks of a prompt, and of its answer where an engine says them, in base 36 with dots between, from the last block that was known to the end: one that is known stands for all before it",
  },
  "centspan.prefix.known_blocks": {
    type: "int",
    doc: "Leading blocks that were known; the last of them is the first of block_keys",
  },
  "centspan.kv.tier": { type: "string", doc: "device, host or disk" },
  "centspan.kv.policy": { type: "string", doc: "Eviction policy" },
  "centspan.kv.evicted_blocks": { type: "int", doc: "Blocks evicted" },
  "centspan.kv.evicted_again_prefilled": { type: "int", doc: "Evicted blocks that had to be prefilled again later" },
  "centspan.prefill.tokens": { type: "int", unit: "token", doc: "Tokens prefilled" },
  "centspan.prefill.chunks": { type: "int[]", unit: "token", doc: "Size of each chunk" },
  "centspan.decode.tokens": { type: "int", unit: "token", doc: "Tokens generated" },
  "centspan.decode.interference_ms": {
    type: "double",
    unit: "ms",
    doc: "What the steps that generated took longer for computing prompts in them, and steps in between for prompts alone, by the step-time model, before time scaling",
  },
  "centspan.decode.rejected_ms": {
    type: "double",
    unit: "ms",
    doc: "What they took longer for draft tokens that were rejected, likewise",
  },
  "centspan.step.number": { type: "int", doc: "Engine step, counted per replica" },
  "centspan.step.batch_size": { type: "int", doc: "Requests that decoded in the step" },
  "centspan.step.context_tokens": { type: "int", unit: "token", doc: "Sum of their contexts" },
  "centspan.step.prefill_tokens": { type: "int", unit: "token", doc: "Tokens prefilled in the same step" },
  "centspan.step.prefill_pairs": {
    type: "int",
    doc: "Pairs of tokens that attend to each other in the prompts of the step, where it computed any",
  },
  "centspan.step.time_ms": { type: "double", unit: "ms", doc: "Step time of the model, before time scaling" },
  "centspan.kv.transfer.from": { type: "string", doc: "Replica that keys and values came from" },
  "centspan.step.draft_model": { type: "string", doc: "Draft model that proposed tokens" },
  "centspan.step.draft_proposed": { type: "int", unit: "token", doc: "Draft tokens proposed" },
  "centspan.step.draft_accepted": { type: "int", unit: "token", doc: "Draft tokens accepted" },
  "centspan.step.draft_accepted_at": {
    type: "int[]",
    doc: "By position, the first one first: how often it was accepted",
  },
  "centspan.step.draft_rejected_at": { type: "int[]", doc: "By position: how often it was the first to be rejected" },
  "centspan.time_scale": { type: "double", doc: "Wall time ÷ model time of the engine" },
  "centspan.provided_cost_usd": {
    type: "string",
    unit: "USD",
    doc: "What the provider says the call cost; exact decimal, kept beside ours",
  },
  "centspan.timing": {
    type: "string",
    doc: "start_only where a recorded history says when a thing began but not how long it took",
  },
  "error.type": { type: "string", doc: "Error code, or the class of what was thrown" },
} as const satisfies Record<string, AttributeDefinition>;

type AttributeName = keyof typeof ATTRIBUTES;

type ValueOf<T extends AttributeType> = T extends "string"
  ? string
  : T extends "int" | "double"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "string[]"
        ? string[]
        : number[];

/** Attributes with the types of the vocabulary; absent values are left out. */
export type SpanAttributes = { [K in AttributeName]?: ValueOf<(typeof ATTRIBUTES)[K]["type"]> | undefined };

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

type MetricDefinition = { kind: "counter" | "gauge"; unit: string; by: readonly string[]; doc: string };

/** What services report of themselves. Units by UCUM; `by` are the attributes that tell its series apart. */
export const METRICS = {
  "centspan.collector.requests": {
    kind: "counter",
    unit: "{request}",
    by: ["centspan.signal", "centspan.outcome"],
    doc: "Export requests by how they ended: ok, or the error code",
  },
  "centspan.collector.records.accepted": {
    kind: "counter",
    unit: "{record}",
    by: ["centspan.signal"],
    doc: "Spans, log records or data points that were acknowledged, retries included",
  },
  "centspan.collector.records.rejected": {
    kind: "counter",
    unit: "{record}",
    by: ["centspan.signal", "centspan.reason"],
    doc: "Records that were refused alone, by code",
  },
  "centspan.collector.rows.inserted": {
    kind: "counter",
    unit: "{row}",
    by: ["centspan.table"],
    doc: "Rows that the warehouse has taken",
  },
  "centspan.collector.frames.refused": {
    kind: "counter",
    unit: "{frame}",
    by: [],
    doc: "Frames that the warehouse refused for what they are",
  },
  "centspan.collector.lag": {
    kind: "gauge",
    unit: "s",
    by: [],
    doc: "From durable to stored, for the latest insert of the slowest table",
  },
  "centspan.collector.spool.size": { kind: "gauge", unit: "By", by: [], doc: "What waits for the warehouse" },
  "centspan.collector.spool.limit": { kind: "gauge", unit: "By", by: [], doc: "What may wait for it" },
  "centspan.collector.spool.frames": { kind: "gauge", unit: "{frame}", by: [], doc: "Frames that wait for it" },
  "centspan.collector.spool.age": { kind: "gauge", unit: "s", by: [], doc: "Age of the oldest of them" },
  "process.memory.usage": { kind: "gauge", unit: "By", by: [], doc: "Physical memory of the process" },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;
