/** What a lead's sub-agents have in common. */
import type { ApprovalPolicy } from "../approval/policy.ts";
import type { Budget } from "../budget/budget.ts";
import type { Role, RunIdentity, RunSpans } from "../loop/identity.ts";
import type { AgentServices } from "../loop/run-agent.ts";
import type { RunFolder } from "../run/run-folder.ts";

export type Crew = {
  /** The lead's. */
  identity: RunIdentity;
  folder: RunFolder;
  policy: ApprovalPolicy;
  budget: Budget;
  traceId: string | null;
  models: Readonly<Record<Role, string>>;
  services: AgentServices;
  createSpans(identity: RunIdentity): RunSpans;
};
