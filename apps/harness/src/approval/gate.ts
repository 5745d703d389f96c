/**
 * Decides each call that may change something, before it runs, by the run's policy or a person's word, and notes the
 * decision. Who waits for a person does so in a span, so that the wait is not taken for work.
 */
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import type { Happening } from "../events/event.ts";
import type { RunSpans } from "../loop/identity.ts";
import { type ApprovalPolicy, type ApprovalSubject, isApproved } from "./policy.ts";

export type Question = { tool: string; subject: ApprovalSubject; why: "not_listed" | "failed_in_sandbox" };

/** Whoever can be asked; null where nobody is there. Resolves with whether it is allowed. */
export type AskPerson = ((question: Question, signal: AbortSignal) => Promise<boolean>) | null;

export type Gate = {
  /** Throws where the call may not be made. */
  admit(call: { callId: string; tool: string }, subject: ApprovalSubject): Promise<void>;
  /** Whether a program that failed in its sandbox may run again outside of it. */
  mayLeaveSandbox(call: { callId: string; tool: string }, subject: ApprovalSubject): Promise<boolean>;
};

export type GateOptions = {
  policy: ApprovalPolicy;
  person: AskPerson;
  spans: RunSpans;
  record(happening: Happening): void;
  /** Told when the wait for a person begins. */
  onWait(): void;
  signal: AbortSignal;
};

export function createGate({ policy, person, spans, record, onWait, signal }: GateOptions): Gate {
  const ask = (question: Question): Promise<{ allowed: boolean; waitMs: number | null }> =>
    spans("approval.wait", { attributes: { "gen_ai.tool.name": question.tool } }, async (span) => {
      onWait();
      const sinceMs = performance.now();
      const allowed = person !== null && (await person(question, signal));
      const decision = person === null ? "nobody_there" : allowed ? "allowed" : "refused";
      setAttributes(span, { "centspan.approval.mode": policy.ask, "centspan.approval.decision": decision });
      return { allowed, waitMs: person === null ? null : performance.now() - sinceMs };
    });

  return {
    async admit(call, subject) {
      const note = { type: "approval" as const, ...call, subject: subject.text };
      if (isApproved(policy, subject)) {
        record({ ...note, decision: "allowed", by: "policy", waitMs: null });
        return;
      }
      const { allowed, waitMs } =
        policy.ask === "never"
          ? { allowed: false, waitMs: null }
          : await ask({ tool: call.tool, subject, why: "not_listed" });
      const by = waitMs === null ? "policy" : "person";
      record({ ...note, decision: allowed ? "allowed" : "refused", by, waitMs });
      if (allowed) return;
      const who = waitMs === null ? "the approval policy allows it only on its lists" : "a person said no";
      throw new CentspanError("forbidden", `${subject.kind}: ${JSON.stringify(subject.text)} was refused: ${who}`, {
        field: subject.kind,
      });
    },
    async mayLeaveSandbox(call, subject) {
      if (policy.ask !== "on-failure" || person === null) return false;
      const { allowed, waitMs } = await ask({ tool: call.tool, subject, why: "failed_in_sandbox" });
      const decision = allowed ? "unconfined" : "refused";
      record({ type: "approval", ...call, subject: subject.text, decision, by: "person", waitMs });
      return allowed;
    },
  };
}
