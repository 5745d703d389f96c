/**
 * What a workload consists of: teams that each work through tasks as their own tickets, with a model per attempt.
 * A later attempt is only made when the one before did not pass; all of them belong to the ticket and its cost.
 */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import type { Mechanism } from "../mechanisms.ts";
import { findTask, type Task } from "../task/load-task.ts";

/** Those of the connection are the same for everybody who shares it. */
const OF_THE_LOOP = [
  "stableInstructions",
  "stableTools",
  "deferredTools",
  "compactSchemas",
  "cutOutput",
  "compactContext",
  "stableHistory",
  "parallelTools",
] as const satisfies Mechanism[];

const planSchema = z.strictObject({
  teams: z
    .array(
      z.strictObject({
        team: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be kebab-case"),
        /** Model of the first attempt, of the second, and so on. */
        attempts: z.array(z.string().min(1)).min(1),
        /** Ids of bundled tasks; all of them when absent. */
        tasks: z.array(z.string()).min(1).optional(),
        /** Mechanisms of the loop that its agents do without. */
        without: z.array(z.enum(OF_THE_LOOP)).optional(),
      }),
    )
    .min(1),
});
export type Plan = z.infer<typeof planSchema>;

/**
 * One team's agents carry a clock in their instructions: there is something to find. Another's read one file after the other,
 * which is found where reading takes longer than the files of bundled tasks do.
 */
export const DEFAULT_PLAN: Plan = {
  teams: [
    { team: "payments", attempts: ["scripted-strong"] },
    { team: "search", attempts: ["scripted-cheap"], without: ["stableInstructions"] },
    { team: "platform", attempts: ["scripted-cheap", "scripted-strong"], without: ["parallelTools"] },
  ],
};

/** The same teams once the waste ledger's advice is followed: their agents have all mechanisms of the loop. */
const MENDED_PLAN: Plan = { teams: DEFAULT_PLAN.teams.map((team) => ({ ...team, without: [] })) };

const BUNDLED = new Map([
  ["default", DEFAULT_PLAN],
  ["mended", MENDED_PLAN],
]);

/** A bundled plan by its name, or a JSON file. */
export async function readPlan(source: string): Promise<Plan> {
  const bundled = BUNDLED.get(source);
  if (bundled !== undefined) return bundled;
  const refuse = (why: string, cause?: unknown) =>
    new CentspanError("invalid_file", `plan ${source}: ${why}`, { field: "plan", cause });
  let value: unknown;
  try {
    value = JSON.parse(await readFile(source, "utf8"));
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
  const parsed = planSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "));
}

export type Ticket = { team: string; taskId: string; task: Task; attempts: string[]; without: readonly Mechanism[] };

/** One ticket per team and task, the teams taking turns so that all of them show results early; `round` tells those of another day. */
export function listTickets(plan: Plan, tasks: readonly Task[], round = ""): Ticket[] {
  const queues = plan.teams.map(({ team, attempts, tasks: ids, without = [] }) => {
    const chosen = ids === undefined ? tasks : ids.map((id) => findTask(tasks, id));
    return chosen.map((task) => ({
      team,
      taskId: [`${team}/${task.id}`, round].filter(Boolean).join("-"),
      task,
      attempts,
      without,
    }));
  });
  const longest = Math.max(...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? [])).flat();
}
