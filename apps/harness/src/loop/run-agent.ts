/**
 * One thread of a run, from its log, its working copy and its tools to the end of its loop: the lead and every sub-agent.
 * Must not: share anything with another thread but the budget and the way to the gateway.
 */

import { parseDecimal } from "@centspan/base";
import { type AskPerson, createGate } from "../approval/gate.ts";
import type { ApprovalPolicy } from "../approval/policy.ts";
import type { Budget } from "../budget/budget.ts";
import { userMessage } from "../context/messages.ts";
import type { Surroundings } from "../context/surroundings.ts";
import type { Event } from "../events/event.ts";
import { type EventLog, openEventLog } from "../events/event-log.ts";
import type { LibraryDocument } from "../library/read-library.ts";
import type { Mechanisms } from "../mechanisms.ts";
import type { RunFolder } from "../run/run-folder.ts";
import { TOOL_OUTPUT_TOKENS } from "../sandbox/cut-output.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openCheckpoint } from "../task/checkpoint.ts";
import { openToolbox, type Toolbox } from "../tools/discovery/toolbox.ts";
import type { ToolServer } from "../tools/mcp/connect-server.ts";
import type { Tool } from "../tools/tool.ts";
import type { ResponsesClient } from "../transport/responses-client.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { Execution } from "./execute-calls.ts";
import type { RunIdentity, RunSpans } from "./identity.ts";
import { type LoopResult, runTurns, type TurnProgress } from "./run-turns.ts";

export type Agent = {
  name: string;
  identity: RunIdentity;
  model: string;
  instructions: string;
  firstMessage: string;
  policy: ApprovalPolicy;
  folder: RunFolder;
  /** What a later process needs to go on, as the caller reads it. */
  request: unknown;
  traceId: string | null;
  /** Given how calls are made, for tools that make calls themselves. */
  createTools(execution: Execution): readonly Tool[];
};

/** What the threads of a run share. */
export type AgentServices = {
  client: ResponsesClient;
  gatewayKey: string;
  sandbox: Sandbox;
  searchPath: string;
  mechanisms: Mechanisms;
  windowTokens: number;
  /** Tools and documents that are found when they are needed. */
  servers: readonly ToolServer[];
  documents: readonly LibraryDocument[];
  person: AskPerson;
  takeSteering(): readonly string[];
  report(progress: TurnProgress): void;
  signal: AbortSignal;
};

/** Where outputs are not to be cut: more than any window holds. */
const UNCUT_TOKENS = 1_000_000;

export type AgentRun = { budget: Budget; spans: RunSpans; log: EventLog };

export async function runAgent(
  agent: Agent,
  { budget, spans, log }: AgentRun,
  services: AgentServices,
): Promise<LoopResult> {
  const { identity, folder } = agent;
  const { client, signal, sandbox } = services;
  const isNew = log.events.length === 0;
  const settings = { model: agent.model, instructions: agent.instructions, promptCacheKey: identity.threadId };
  const conversation = openConversation(settings, log, (event) => noteSpending(event, identity.threadId, budget));
  if (isNew) recordStart(agent, conversation, budget, sandbox);
  else conversation.record({ type: "resumed", limits: budget.limits });
  const { mechanisms, windowTokens, servers, documents } = services;
  const outputTokens = mechanisms.cutOutput ? Math.min(TOOL_OUTPUT_TOKENS, windowTokens >> 3) : UNCUT_TOKENS;
  const hintLongWait = (): void => {
    client.hint({ kind: "long_wait", runId: identity.runId, threadId: identity.threadId }, services.gatewayKey);
  };
  let toolbox: Toolbox | null = null;
  const execution: Execution = {
    findTool: (name) => toolbox?.find(name),
    context: { root: folder.copy, sandbox, outputsDir: folder.outputs, outputTokens, signal },
    spans,
    gate: createGate({
      policy: agent.policy,
      person: services.person,
      spans,
      record: conversation.record,
      onWait: hintLongWait,
      signal,
    }),
    record: conversation.record,
    checkpoint: await openCheckpoint(folder.copy, folder.before),
    searchPath: services.searchPath,
    readsTogether: mechanisms.parallelTools,
    onLongWait: hintLongWait,
  };
  toolbox = await openToolbox({ core: agent.createTools(execution), servers, documents, mechanisms });
  const connection = client.open(services.gatewayKey);
  try {
    const { takeSteering, report } = services;
    const result = await runTurns({
      ...{ identity, conversation, toolbox, execution, connection, spans, budget, takeSteering, report, signal },
      ...{ mechanisms, windowTokens, surroundings: () => describeSurroundings(agent.policy) },
      model: agent.model,
    });
    conversation.record({ type: "stopped", reason: result.stop, detail: "" });
    return result;
  } catch (error) {
    const reason = signal.aborted ? "interrupted" : "failed";
    conversation.record({ type: "stopped", reason, detail: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    connection.close();
  }
}

/** By day: what changes with every turn would have to be told with every turn. */
const describeSurroundings = (policy: ApprovalPolicy): Surroundings => ({
  "approval policy": policy.ask,
  date: new Date().toISOString().slice(0, 10),
});

export const openThreadLog = (folder: RunFolder): EventLog => openEventLog(folder.events);

function recordStart(agent: Agent, conversation: Conversation, { limits }: Budget, sandbox: Sandbox): void {
  const { identity } = agent;
  conversation.record({
    type: "started",
    runId: identity.runId,
    threadId: identity.threadId,
    agent: agent.name,
    role: identity.role,
    model: agent.model,
    harnessVersion: identity.harnessVersion,
    traceId: agent.traceId,
    sandbox: sandbox.kind,
    policy: agent.policy,
    limits,
    request: agent.request,
  });
  conversation.record({ type: "message", from: "task", item: userMessage(agent.firstMessage) });
}

/** Also of events that an earlier process wrote. What a compaction took is beside its thread, which it takes no turn of. */
export function noteSpending(event: Event, thread: string, budget: Budget): void {
  if (event.type !== "turn_answered" && event.type !== "context_compacted") return;
  const { usage, costUsd, turn } = event;
  const threadId = event.type === "turn_answered" ? thread : `${thread}:compaction`;
  const tokens = usage === null ? 0 : usage.inputTokens + usage.outputTokens;
  budget.note({ threadId, turn, tokens, costUsd: costUsd === null ? null : parseDecimal(costUsd) });
}
