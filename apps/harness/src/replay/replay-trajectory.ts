/**
 * A recorded run gone through again: a player of the engine says what the model said, and each tool answers what it
 * answered then. What lies between them, from the context to the wire, is as real as in any run.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createId } from "@centspan/base";
import type { Trajectory } from "@centspan/histories";
import { createBudget } from "../budget/budget.ts";
import { createRunSpans } from "../loop/identity.ts";
import { type AgentServices, openThreadLog, runAgent } from "../loop/run-agent.ts";
import type { RunServices } from "../loop/run-task.ts";
import type { LoopResult } from "../loop/run-turns.ts";
import { describeRunFolder } from "../run/run-folder.ts";
import { removeFolder } from "../task/working-copy.ts";
import type { Tool } from "../tools/tool.ts";

const AGENT = "replay";

export type ReplayRequest = { trajectory: Trajectory; model: string; maxTurns: number };
export type ReplayServices = Omit<AgentServices, "takeSteering" | "person"> &
  Pick<RunServices, "telemetry" | "workDir" | "version">;
export type ReplayResult = LoopResult & { runId: string };

export async function replayTrajectory(request: ReplayRequest, services: ReplayServices): Promise<ReplayResult> {
  const { trajectory, model, maxTurns } = request;
  const runId = createId("run");
  const folder = describeRunFolder(join(services.workDir, runId));
  await mkdir(folder.copy, { recursive: true });
  const identity = {
    runId,
    threadId: runId,
    taskId: trajectory.id,
    taskType: "replay",
    taskTitle: trajectory.id,
    repository: "",
    role: "execute" as const,
    attempt: 1,
    harnessVersion: services.version,
  };
  const limits = { turns: maxTurns };
  const log = openThreadLog(folder);
  const spans = createRunSpans(services.telemetry.tracer, identity);
  try {
    const result = await spans("invoke_agent {agent}", { subject: AGENT }, () =>
      runAgent(
        {
          name: AGENT,
          identity,
          model,
          instructions: trajectory.instructions,
          firstMessage: trajectory.opening.join("\n\n"),
          policy: { ask: "never" },
          folder,
          request: trajectory.id,
          traceId: null,
          createTools: () => createRecordedTools(trajectory),
        },
        { budget: createBudget({ threadId: runId, limits }), spans, log },
        { ...services, person: null, takeSteering: () => [] },
      ),
    );
    return { ...result, runId };
  } finally {
    services.client.hint({ kind: "run_ended", runId }, services.gatewayKey);
    log.close();
    await removeFolder(folder.path);
  }
}

/** The tools that were called, each with the answers in the order of the calls. */
export function createRecordedTools({ steps }: Trajectory): Tool[] {
  const names = new Set(steps.flatMap(({ calls }) => calls.map(({ name }) => name)));
  const answers = steps.flatMap(({ calls, observation }) => calls.map(() => observation)).values();
  return [...names].map((name) => ({
    name,
    description: `Answers what ${name} answered when the run was recorded.`,
    parameters: { type: "object" },
    readOnly: true,
    run: async (_arguments, { output }) => ({ output: output.write(answers.next().value ?? "") }),
  }));
}
