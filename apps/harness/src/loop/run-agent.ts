/**
 * One thread of a run, from its log, its working copy and its tools to the end of its loop: the lead and every sub-agent.
 * Must not: share anything with another thread but the budget and the way to the gateway.
 */

import { parseDecimal } from "@centspan/base";
import { type AskPerson, createGate } from "../approval/gate.ts";
import type { ApprovalPolicy } from "../approval/policy.ts";
import type { Budget } from "../budget/budget.ts";
import { userMessage } from "../context/messages.ts";
import type { Event } from "../events/event.ts";
import { type EventLog, openEventLog } from "../events/event-log.ts";
import type { RunFolder } from "../run/run-folder.ts";
import { TOOL_OUTPUT_TOKENS } from "../sandbox/cut-output.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openCheckpoint } from "../task/checkpoint.ts";
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
  person: AskPerson;
  takeSteering(): readonly string[];
  report(progress: TurnProgress): void;
  signal: AbortSignal;
};

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
  const tools: Tool[] = [];
  const execution: Execution = {
    findTool: (name) => tools.find((tool) => tool.name === name),
    context: { root: folder.copy, sandbox, outputsDir: folder.outputs, outputTokens: TOOL_OUTPUT_TOKENS, signal },
    spans,
    gate: createGate({
      policy: agent.policy,
      person: services.person,
      spans,
      record: conversation.record,
      onWait: () => {
        client.hint({ kind: "long_wait", runId: identity.runId, threadId: identity.threadId }, services.gatewayKey);
      },
      signal,
    }),
    record: conversation.record,
    checkpoint: await openCheckpoint(folder.copy, folder.before),
    searchPath: services.searchPath,
  };
  tools.push(...agent.createTools(execution));
  const connection = client.open(services.gatewayKey);
  try {
    const { takeSteering, report } = services;
    const result = await runTurns({
      ...{ identity, conversation, tools, execution, connection, spans, budget, takeSteering, report, signal },
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

/** Also of events that an earlier process wrote. */
export function noteSpending(event: Event, threadId: string, budget: Budget): void {
  if (event.type !== "turn_answered") return;
  const { usage, costUsd, turn } = event;
  const tokens = usage === null ? 0 : usage.inputTokens + usage.outputTokens;
  budget.note({ threadId, turn, tokens, costUsd: costUsd === null ? null : parseDecimal(costUsd) });
}
