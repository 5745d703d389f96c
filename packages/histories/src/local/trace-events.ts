/**
 * Counted events → spans: a run for each message of a person (`invoke_agent`), in it a turn for each response with the tools
 * it asked for, agents below the tool that called them. Spans are final as they leave: the run says only when it began, and
 * a turn comes with its response. Must not count: what comes here counts.
 */
import type {
  CallObservation,
  HistoryEvent,
  HistoryMark,
  SpanRecord,
  ToolObservation,
  TurnObservation,
} from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";
import { isObject } from "../json-values.ts";
import { totalOf } from "../usage-total.ts";
import { describePrompt } from "./describe-content.ts";
import { describeCall, describeContext, describeTool, toText } from "./describe-events.ts";
import type { Ledger } from "./ledger.ts";
import { type SpanPart, spanIdOf, traceIdOf } from "./span-ids.ts";
import type { HistoryPlaceFacts } from "./types.ts";

type Run = {
  traceId: string;
  rootId: string;
  parentId: string;
  startedAt: string;
  isTold: boolean;
  turns: number;
  prompt?: string;
};
type ThreadState = {
  run: Run | null;
  marks: HistoryMark[];
  /** Whether what came last was told of elsewhere: what is next is the first of a fork. */
  isCopying: boolean;
  before: { spanId: string; tokens: number } | null;
  /** By the name of their call: when the first of its tools began and the last ended. */
  toolTimes: Record<string, [string, string]>;
};
type TracerState = { threads: Record<string, ThreadState> };

export type Traced = { spans: SpanRecord[]; traceId: string; spanId: string };

type TracerOptions = {
  format: string;
  agent: string;
  ledger: Ledger;
  attributes: SpanAttributes;
  placeOf(cwd: string): HistoryPlaceFacts | null;
};

export type CallCount = { isFirst: boolean; sharesResponseId: boolean };

export type Tracer = {
  /** A person's message begins a run, whether it was seen before or not. */
  beginRun(event: HistoryEvent, turn: TurnObservation): Traced;
  addMark(event: HistoryEvent, mark: HistoryMark): void;
  /** A call that was counted elsewhere, and that this thread goes on from. */
  noteCopy(event: HistoryEvent, call: CallObservation): void;
  traceCall(event: HistoryEvent, call: CallObservation, count: CallCount): Traced;
  traceTool(event: HistoryEvent, tool: ToolObservation): Traced;
  traceCompaction(event: HistoryEvent, key: string, atNs: bigint, beforeTokens: number | null): Traced;
  /** Which tool called which agent, for the agent's own file. */
  noteAgent(event: HistoryEvent, agentId: string, toolCallId: string): void;
  /** Turns of which no call that counts will tell: answers that were broken off, or are told of elsewhere. */
  closeTurns(event: HistoryEvent): SpanRecord[];
  save(): unknown;
};

export function createTracer(options: TracerOptions, saved: unknown): Tracer {
  const { format, ledger } = options;
  const state: TracerState = isTracerState(saved) ? structuredClone(saved) : { threads: {} };
  const describe = createDescriber(options);
  const threadOf = (id: string): ThreadState => {
    state.threads[id] ??= { run: null, marks: [], isCopying: false, before: null, toolTimes: {} };
    return state.threads[id];
  };
  const idOf = (part: SpanPart, name: string): string => spanIdOf(format, part, name);

  /** The run under way, and its own span the first time that something is told of it. */
  const enterRun = (event: HistoryEvent, atNs: bigint): { run: Run; spans: SpanRecord[] } => {
    const thread = threadOf(event.thread.threadId);
    thread.run ??=
      event.thread.agentId === "" ? startRun(`start of ${event.thread.threadId}`, atNs) : joinRun(event, atNs);
    const { run } = thread;
    if (run.isTold) return { run, spans: [] };
    run.isTold = true;
    if (!ledger.countOnce(`root of ${format}`, run.rootId)) return { run, spans: [] };
    const root = describe.root(event, run);
    delete run.prompt;
    return { run, spans: [root] };
  };
  const startRun = (key: string, atNs: bigint): Run => ({
    traceId: traceIdOf(format, key),
    rootId: idOf("run", key),
    parentId: "",
    startedAt: String(atNs),
    isTold: false,
    turns: 0,
  });
  const joinRun = ({ thread }: HistoryEvent, atNs: bigint): Run => {
    const { threadId, agentId, parentThreadId, parentToolCallId } = thread;
    const caller =
      ledger.get(`agent of ${format}`, agentId === threadId ? agentId : threadId) ??
      ledger.get(`agent tool of ${format}`, parentToolCallId) ??
      findRun(ledger.get(`runs of ${format}`, parentThreadId), atNs);
    const [traceId = traceIdOf(format, `agent ${threadId}`), parentId = ""] = caller?.split(" ") ?? [];
    const rootId = idOf("agent", threadId);
    return { traceId, rootId, parentId, startedAt: String(atNs), isTold: false, turns: 0 };
  };

  const endTurn = (event: HistoryEvent, run: Run, localKey: string, times: readonly bigint[]): SpanRecord[] => {
    const id = idOf("turn", localKey);
    if (!ledger.countOnce(`turn of ${format}`, id)) return [];
    const tools = (threadOf(event.thread.threadId).toolTimes[localKey] ?? []).map(BigInt);
    const [first = 0n, ...others] = [...times, ...tools];
    run.turns += 1;
    const [startedAtNs, endedAtNs] = [others.reduce(earlier, first), others.reduce(later, first)];
    const said = { "centspan.layer": "harness", "centspan.turn.number": run.turns };
    return [describe.span(event, run, { id, parentId: run.rootId, name: "loop.turn", startedAtNs, endedAtNs }, said)];
  };

  return {
    closeTurns(event) {
      const thread = threadOf(event.thread.threadId);
      const { run } = thread;
      const open = Object.keys(thread.toolTimes);
      const spans = run === null ? [] : open.flatMap((localKey) => endTurn(event, run, localKey, []));
      thread.toolTimes = {};
      return spans;
    },
    beginRun(event, { key, atNs, messageText }) {
      const thread = threadOf(event.thread.threadId);
      if (event.thread.agentId !== "") return { spans: [], traceId: thread.run?.traceId ?? "", spanId: "" };
      const run: Run = { ...startRun(key, atNs), ...(messageText !== undefined && { prompt: messageText }) };
      thread.run = run;
      const runs = ledger.get(`runs of ${format}`, event.thread.threadId) ?? "";
      const entry = `${atNs} ${run.traceId} ${run.rootId}`;
      if (!runs.includes(run.traceId))
        ledger.set(`runs of ${format}`, event.thread.threadId, runs === "" ? entry : `${runs},${entry}`);
      return { spans: [], traceId: run.traceId, spanId: run.rootId };
    },
    addMark(event, mark) {
      const thread = threadOf(event.thread.threadId);
      if (!thread.marks.includes(mark)) thread.marks.push(mark);
    },
    noteCopy(event, call) {
      const thread = threadOf(event.thread.threadId);
      thread.isCopying = true;
      thread.before = { spanId: idOf("call", call.key), tokens: totalOf(call.usage) };
    },
    traceCall(event, call, { isFirst, sharesResponseId }) {
      const thread = threadOf(event.thread.threadId);
      const { run, spans } = enterRun(event, call.startedAtNs);
      if (thread.isCopying && !thread.marks.includes("forked")) thread.marks.push("forked");
      thread.isCopying = false;
      const tokens = totalOf(call.usage);
      const spanId = isFirst ? idOf("call", call.key) : idOf("grown", `${call.key} ${tokens}`);
      const turnId = idOf("turn", call.localKey);
      const before = readBefore(
        thread.marks.length > 0 ? ledger.get(`last of ${format}`, event.thread.parentThreadId) : undefined,
      );
      const place = { marks: thread.marks, before: thread.before ?? before, ownId: sharesResponseId ? call.key : "" };
      const times = { startedAtNs: call.startedAtNs, endedAtNs: call.endedAtNs };
      const chat = describe.span(
        event,
        run,
        { id: spanId, parentId: isFirst ? turnId : run.rootId, name: `chat ${call.model}`, ...times },
        describeCall(call, { ...place, before: thread.marks.length > 0 ? place.before : null }),
      );
      thread.marks = [];
      thread.before = { spanId, tokens };
      ledger.set(`last of ${format}`, event.thread.threadId, `${spanId} ${tokens}`);
      if (isFirst) spans.push(...endTurn(event, run, call.localKey, [call.startedAtNs, call.endedAtNs]));
      delete thread.toolTimes[call.localKey];
      return { spans: [...spans, chat], traceId: run.traceId, spanId };
    },
    traceTool(event, tool) {
      const thread = threadOf(event.thread.threadId);
      const { run, spans } = enterRun(event, tool.startedAtNs);
      const id = idOf("tool", tool.toolCallId);
      if (tool.callKey !== "") {
        const [began, ended] = thread.toolTimes[tool.callKey] ?? [String(tool.startedAtNs), String(tool.endedAtNs)];
        const [first, last] = [earlier(BigInt(began), tool.startedAtNs), later(BigInt(ended), tool.endedAtNs)];
        thread.toolTimes[tool.callKey] = [String(first), String(last)];
      }
      if (tool.runsAgent) ledger.set(`agent tool of ${format}`, tool.toolCallId, `${run.traceId} ${id}`);
      const parentId = tool.callKey === "" ? run.rootId : idOf("turn", tool.callKey);
      const { startedAtNs, endedAtNs } = tool;
      const span = describe.span(
        event,
        run,
        { id, parentId, name: `execute_tool ${tool.name}`, startedAtNs, endedAtNs },
        describeTool(tool),
      );
      return {
        spans: [...spans, tool.isError ? { ...span, status: "error" } : span],
        traceId: run.traceId,
        spanId: id,
      };
    },
    traceCompaction(event, key, atNs, beforeTokens) {
      const { run, spans } = enterRun(event, atNs);
      const id = idOf("compaction", key);
      const said = {
        "centspan.layer": "harness",
        "centspan.timing": "start_only",
        "centspan.compaction.before_tokens": beforeTokens ?? undefined,
      };
      const span = describe.span(
        event,
        run,
        { id, parentId: run.rootId, name: "compaction", startedAtNs: atNs, endedAtNs: atNs },
        said,
      );
      return { spans: [...spans, span], traceId: run.traceId, spanId: id };
    },
    noteAgent(event, agentId, toolCallId) {
      const { thread } = event;
      const run = threadOf(thread.threadId).run;
      if (run === null) return;
      const place = `${run.traceId} ${idOf("tool", toolCallId)}`;
      ledger.set(`agent of ${format}`, agentId, place);
      ledger.set(`agent of ${format}`, `${thread.sessionId}/${agentId}`, place);
    },
    save: () => state,
  };
}

const earlier = (a: bigint, b: bigint): bigint => (b < a ? b : a);
const later = (a: bigint, b: bigint): bigint => (b > a ? b : a);

const isTracerState = (saved: unknown): saved is TracerState => isObject(saved) && isObject(saved.threads);

const readBefore = (saved: string | undefined): ThreadState["before"] => {
  const [spanId = "", tokens = ""] = saved?.split(" ") ?? [];
  return spanId === "" ? null : { spanId, tokens: Number(tokens) };
};

/** Of a session's runs the last that had begun; the first where none had. */
function findRun(runs: string | undefined, atNs: bigint): string | undefined {
  const list = (runs ?? "").split(",").filter((entry) => entry !== "");
  const found = list.findLast((entry) => BigInt(entry.slice(0, entry.indexOf(" "))) <= atNs) ?? list[0];
  return found?.slice(found.indexOf(" ") + 1);
}

type Place = { id: string; parentId: string; name: string; startedAtNs: bigint; endedAtNs: bigint };

function createDescriber({ format, agent, attributes, ledger, placeOf }: TracerOptions) {
  const resourceAttributes = { "service.name": format };
  const known = new WeakMap<object, WeakMap<object, Record<string, string>>>();
  const identityOf = ({ thread, context }: HistoryEvent): Record<string, string> => {
    const ofThread = known.get(thread) ?? new WeakMap<object, Record<string, string>>();
    known.set(thread, ofThread);
    const root = ledger.get(`root of ${format}`, thread.sessionId) ?? thread.rootSessionId;
    const said = () => describeContext({ ...thread, rootSessionId: root }, context, placeOf(context.cwd));
    const text = ofThread.get(context) ?? toText({ ...attributes, ...said() });
    ofThread.set(context, text);
    return text;
  };
  const span = (event: HistoryEvent, run: Run, place: Place, said: SpanAttributes): SpanRecord => ({
    traceId: run.traceId,
    spanId: place.id,
    parentSpanId: place.parentId,
    name: place.name,
    kind: place.name.startsWith("chat ") ? "client" : "internal",
    service: format,
    startedAtNs: place.startedAtNs,
    endedAtNs: place.endedAtNs,
    status: "unset",
    statusMessage: "",
    attributes: { ...identityOf(event), ...toText(said) },
    resourceAttributes,
    scopeName: "centspan.histories",
    trusted: false,
    events: [],
    links: [],
  });
  return {
    span,
    root(event: HistoryEvent, run: Run): SpanRecord {
      const startedAtNs = BigInt(run.startedAt);
      const name = event.thread.agentId === "" ? agent : event.thread.agentName || "agent";
      const place = {
        id: run.rootId,
        parentId: run.parentId,
        name: `invoke_agent ${name}`,
        startedAtNs,
        endedAtNs: startedAtNs,
      };
      return span(event, run, place, {
        "centspan.layer": "harness",
        "centspan.timing": "start_only",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        ...describePrompt(run.prompt),
      });
    },
  };
}
