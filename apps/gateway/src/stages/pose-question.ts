/**
 * A request as the upstream that was chosen is asked it: in a protocol that it speaks, with what it is told besides of tokens,
 * priority and identity, where it knows what they mean.
 */
import { writeTraceContext } from "@centspan/telemetry";
import type { Span } from "@opentelemetry/api";
import type { Exchange } from "../exchange.ts";
import type { Held, Said } from "../held.ts";
import { scopeName } from "../identity.ts";
import type { InferenceProtocol, RequestFacts } from "../protocols/protocol.ts";
import type { AnswerTranslator } from "../translations/translation.ts";
import { addMembers } from "../upstream/add-members.ts";
import type { Sending } from "../upstream/receive-answer.ts";
import { selectRequestHeaders, type Upstream } from "../upstream/upstream.ts";
import type { Route } from "../upstream/upstreams.ts";

export type AskedUpstream = Pick<Route, "replica" | "translation"> & {
  request: RequestFacts;
  said: Held<Said>;
};

/** A request under way: how its answer is read and, where it is translated, said back. */
export type Question = {
  sending: Sending;
  sentMs: number;
  protocol: InferenceProtocol;
  /** Paths of what a translation leaves out; those of the answer come with it. */
  dropped: readonly string[];
  translator: AnswerTranslator | null;
};

/** Nothing of what was sent stays with the question. */
export function poseQuestion(exchange: Exchange, input: AskedUpstream, span: Span): Question {
  const { path, body, ...question } = writeQuestion(exchange, input);
  const sentMs = performance.now();
  return { ...question, sentMs, sending: send(exchange, input.replica.upstream, { path, body }, span) };
}

type WrittenQuestion = Pick<Question, "protocol" | "dropped" | "translator"> & { path: string; body: Buffer };

function writeQuestion(exchange: Exchange, input: AskedUpstream): WrittenQuestion {
  const { protocol, query } = exchange;
  const { request, said, translation } = input;
  const { body, ids } = said.get();
  const told = tellUpstream(exchange, input);
  if (translation === null) {
    const own = addMembers(body.bytes, body.json, Object.assign({}, request.additions, told));
    return { protocol, path: protocol.route + query, body: own, dropped: [], translator: null };
  }
  const { json, dropped, answer } = translation.translate({ ...Object(body.json), ...request.additions }, ids.length);
  return {
    protocol: translation.to,
    path: translation.to.route,
    body: Buffer.from(JSON.stringify({ ...json, ...told })),
    dropped,
    translator: answer,
  };
}

/** Members for upstreams that know what they mean: our engine's prompt is ours to count, vLLM lets people go before jobs. */
const tellUpstream = ({ protocol, rules }: Exchange, { replica: { upstream }, said }: AskedUpstream): object => ({
  ...(upstream.takesTokenIds && protocol.operation === "chat" && { prompt_token_ids: [...said.get().ids] }),
  ...(upstream.takesPriority && rules.priority !== undefined && { priority: rules.priority === "batch" ? 1 : 0 }),
});

/** An upstream that keeps answers by it serves all workspaces. */
const IDEMPOTENCY_KEY = "idempotency-key";

function send(
  exchange: Exchange,
  upstream: Upstream,
  { path, body }: Pick<WrittenQuestion, "path" | "body">,
  span: Span,
): Sending {
  const headers = selectRequestHeaders(exchange.headers, upstream);
  Object.assign(headers, writeKnowledge(exchange, upstream), writeTraceContext(span));
  const { [IDEMPOTENCY_KEY]: once } = headers;
  if (once !== undefined) headers[IDEMPOTENCY_KEY] = scopeName(exchange.workspace, once);
  return upstream.send({ method: "POST", path, headers, body });
}

/** For an upstream that knows agents: whom to let go first, and whose conversation it is, however the client said it. */
function writeKnowledge(exchange: Exchange, { seesIdentity }: Upstream): Record<string, string> {
  if (!seesIdentity) return {};
  const { rules, identity, headers, workspace } = exchange;
  const names = {
    "x-centspan-run": headers["x-centspan-run"],
    "x-centspan-thread": headers["x-centspan-thread"],
    "x-centspan-session": identity["gen_ai.conversation.id"],
  };
  const scoped = Object.entries(names).flatMap(([header, name]) =>
    typeof name === "string" && name !== "" ? [[header, scopeName(workspace, name)]] : [],
  );
  return {
    ...(rules.priority !== undefined && { "x-centspan-priority": rules.priority }),
    ...Object.fromEntries(scoped),
  };
}
