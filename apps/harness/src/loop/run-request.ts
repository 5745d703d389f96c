/** What a run is asked to do, and the part of it that a later process reads from the run's log to go on. */
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { type ApprovalPolicy, policySchema } from "../approval/policy.ts";
import { type Limits, limitsSchema } from "../budget/limits.ts";
import { readEventLog } from "../events/event-log.ts";
import { describeRunFolder } from "../run/run-folder.ts";
import { errorCode } from "../sandbox/file-error.ts";
import { readTask, type Task } from "../task/load-task.ts";
import { ROLES, type Role } from "./identity.ts";

export type RunRequest = {
  task: Task;
  /** The ticket that the work is booked on. */
  taskId: string;
  model: string;
  /** Models of sub-agents by what they do; the run's own where none is named. */
  roleModels: Partial<Record<Role, string>>;
  attempt: number;
  /** One that plans has sub-agents do the work. */
  role: Role;
  policy: ApprovalPolicy;
  limits: Limits;
  /** Whether programs may go out through the gateway, to the hosts that the key's rules name. */
  egress: boolean;
  /** Variables of programs that hold placeholders of secrets. */
  standIns: Readonly<Record<string, string>>;
  gatewayKey: string;
};

/** Of runs that nobody sits beside. */
export const UNATTENDED: Pick<RunRequest, "policy" | "limits" | "egress" | "standIns" | "roleModels"> = {
  policy: { ask: "never" },
  limits: limitsSchema.parse({}),
  egress: false,
  standIns: {},
  roleModels: {},
};

const storedSchema = z.object({
  taskDir: z.string(),
  taskId: z.string(),
  model: z.string(),
  roleModels: z.partialRecord(z.enum(ROLES), z.string()),
  attempt: z.int(),
  role: z.enum(ROLES),
  policy: policySchema,
  egress: z.boolean(),
  standIns: z.record(z.string(), z.string()),
});

/** Without the key: that never stands in a log. */
export const writeRequest = ({ task, ...request }: RunRequest) => storedSchema.parse({ ...request, taskDir: task.dir });

/** The request of an earlier run; `raised` are limits in place of those that it had last. */
export async function readRequest(
  workDir: string,
  runId: string,
  { gatewayKey, raised }: { gatewayKey: string; raised: Partial<Limits> },
): Promise<RunRequest> {
  const { events: file } = describeRunFolder(join(workDir, runId));
  const events = readLog(file, runId);
  const [first] = events;
  if (first?.type !== "started") throw unknownRun(runId, "its log has no beginning");
  const { taskDir, ...stored } = storedSchema.parse(first.request);
  const latest = events.findLast((event) => event.type === "started" || event.type === "resumed") ?? first;
  const limits = limitsSchema.parse({ ...latest.limits, ...raised });
  return { ...stored, task: await readTask(taskDir), limits, gatewayKey };
}

function readLog(file: string, runId: string) {
  try {
    return readEventLog(file);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw unknownRun(runId, "there is no log of it in this work folder");
  }
}

const unknownRun = (runId: string, why: string): CentspanError =>
  new CentspanError("not_found", `resume: ${JSON.stringify(runId)}: ${why}`, { field: "resume" });
