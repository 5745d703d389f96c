/**
 * The scripted models: one script per bundled task, with what a strong and a cheap model say and do turn by turn.
 * They decide nothing: the tools run for real, and whether a task passed is for its tests to say.
 */
import { CentspanError } from "@centspan/base";
import type { Conversation } from "@centspan/model";
import { z } from "zod";
import { countAssistantTurns, type PlayedTurn, type Player, say } from "./player.ts";

const stepSchema = z.strictObject({
  say: z.string(),
  reasoning: z.string(),
  calls: z.array(z.strictObject({ tool: z.string().min(1), args: z.record(z.string(), z.unknown()) })),
});
const scriptSchema = z.strictObject({
  task: z.string().min(1),
  players: z.record(
    z.string(),
    z.strictObject({ steps: z.array(stepSchema).min(1), passed: z.string().min(1), failed: z.string().min(1) }),
  ),
});
type Script = z.infer<typeof scriptSchema>["players"][string];

const UNKNOWN_TASK =
  "I am a scripted model of Centspan's reference engine: I only know its bundled tasks, and this is not one of them. " +
  "Point the gateway at a real model for anything else.";

/** One model per player name found in the scripts: `scripted-strong`, `scripted-cheap`. */
export function createScriptedPlayers(files: readonly unknown[]): Player[] {
  const scripts = new Map<string, Map<string, Script>>();
  for (const file of files) {
    const parsed = scriptSchema.safeParse(file);
    if (!parsed.success) throw new CentspanError("invalid_file", `player script: ${z.prettifyError(parsed.error)}`);
    for (const [name, script] of Object.entries(parsed.data.players)) {
      const tasks = scripts.get(name) ?? new Map<string, Script>();
      scripts.set(name, tasks.set(parsed.data.task, script));
    }
  }
  return [...scripts].map(([name, tasks]) => ({
    model: `scripted-${name}`,
    answer(conversation) {
      const script = tasks.get(findTask(conversation) ?? "");
      return script ? playScript(script, conversation) : say(UNKNOWN_TASK);
    },
  }));
}

/** Agents put messages of their own before the person's, so every user message may name the task; the first that does counts. */
function findTask(conversation: Conversation): string | undefined {
  for (const item of conversation.items) {
    if (item.type !== "message" || item.role !== "user") continue;
    const named = /^Task: (\S+)\s*$/m.exec(item.text)?.[1];
    if (named !== undefined) return named;
  }
  return undefined;
}

function playScript(script: Script, conversation: Conversation): PlayedTurn {
  if (/^exit code: 0\s/.test(`${findLastTestRun(conversation)}\n`)) return say(script.passed);
  const step = script.steps[countAssistantTurns(conversation)];
  if (!step) return say(script.failed);
  const toolCalls = step.calls.map((call) => ({ name: call.tool, argumentsJson: JSON.stringify(call.args) }));
  return { reasoning: step.reasoning, text: step.say, toolCalls };
}

/** The output of the newest `run_tests` call that has one. */
function findLastTestRun(conversation: Conversation): string | undefined {
  const testRuns = new Set<string>();
  let output: string | undefined;
  for (const item of conversation.items) {
    if (item.type === "tool_call" && item.name === "run_tests") testRuns.add(item.callId);
    if (item.type === "tool_result" && testRuns.has(item.callId)) output = item.output;
  }
  return output;
}
