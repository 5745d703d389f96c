/**
 * Who a run is: as attributes on each of its spans and as headers on each of its calls.
 * Must not: name the team or the key; those follow from the gateway key that pays, never from what a client says.
 */
import { CentspanError } from "@centspan/base";
import { type SpanAttributes, type SpanOptions, type SpanTemplate, withSpan } from "@centspan/telemetry";
import type { Span, Tracer } from "@opentelemetry/api";

export const ROLES = ["plan", "execute", "verify"] as const;
export type Role = (typeof ROLES)[number];

export type RunIdentity = {
  runId: string;
  /** One context of the run: the lead's is the run's own id, each sub-agent has another. */
  threadId: string;
  /** The ticket that the run works on, as its owner names it. */
  taskId: string;
  taskType: string;
  taskTitle: string;
  repository: string;
  role: Role;
  attempt: number;
  harnessVersion: string;
};

/** A task id travels in a header, so it has to fit into one unchanged. */
export function checkTaskId(taskId: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(taskId)) return taskId;
  throw new CentspanError("invalid_request", "task-id: must be 1 to 200 printable ASCII characters without spaces", {
    field: "task-id",
  });
}

export function identityHeaders(identity: RunIdentity): Record<string, string> {
  return {
    "x-centspan-task": identity.taskId,
    "x-centspan-run": identity.runId,
    "x-centspan-role": identity.role,
    "x-centspan-task-type": identity.taskType,
    "x-centspan-repository": identity.repository,
    "x-centspan-attempt": String(identity.attempt),
    "x-centspan-harness-version": identity.harnessVersion,
    "x-centspan-session": identity.threadId,
  };
}

export function identityAttributes(identity: RunIdentity): SpanAttributes {
  return {
    "centspan.task.id": identity.taskId,
    "centspan.task.type": identity.taskType,
    "centspan.task.title": identity.taskTitle,
    "centspan.run.id": identity.runId,
    "centspan.role": identity.role,
    "centspan.attempt": identity.attempt,
    "centspan.repository": identity.repository,
    "centspan.harness.version": identity.harnessVersion,
    "gen_ai.conversation.id": identity.threadId,
  };
}

/** Runs `work` in a span that carries the run's identity. */
export type RunSpans = <T>(
  template: SpanTemplate,
  options: SpanOptions,
  work: (span: Span) => Promise<T> | T,
) => Promise<T>;

export function createRunSpans(tracer: Tracer, identity: RunIdentity): RunSpans {
  const common = identityAttributes(identity);
  return (template, options, work) =>
    withSpan(tracer, template, { ...options, attributes: { ...common, ...options.attributes } }, work);
}
