/**
 * A recorded run as what was said in it: instructions, opening, and turn by turn what the model said and called and what
 * it was answered. From trajectories of mini-swe-agent (format mini-swe-agent-1) and of SWE-agent, with tool calls or with
 * commands in its text, and from recordings of our own harness (centspan-run-1), which hold no observations.
 * Must not: know what anything cost or took; that is `mini-swe-agent.ts`.
 */
import { z } from "zod";
import { fileError, readJson } from "./read-json.ts";

export type TrajectoryStep = {
  /** As the model wrote it. */
  text: string;
  /** Without the command, where that stood in the text. */
  said: string;
  calls: { name: string; argumentsJson: string }[];
  /** What the calls were answered; empty after the last one of a run. */
  observation: string;
  /** What the answer took, where that was recorded. */
  tokens: { output: number; reasoning: number } | null;
};

export type Trajectory = { id: string; instructions: string; opening: string[]; steps: TrajectoryStep[] };

/** Commands of agents that write them into their text. */
const SHELL = "bash";

const OURS = "centspan-run-1";

const formatSchema = z.looseObject({ trajectory_format: z.string().optional() });

/** Throws CentspanError("invalid_file") naming line and field. `name` is the file; it gives the id where the text has none. */
export function readTrajectory(name: string, text: string): Trajectory {
  const { trajectory_format: format } = readJson(name, text, formatSchema);
  const read = format === undefined ? readSweAgent : format === OURS ? readRecording : readMini;
  const trajectory = read(name, text);
  if (trajectory.steps.length === 0) throw fileError(name, text, 0, "holds no answer of a model");
  return trajectory;
}

const usageSchema = z
  .object({
    completion_tokens: z.int().positive(),
    completion_tokens_details: z.object({ reasoning_tokens: z.int().nonnegative().nullish() }).nullish(),
  })
  .transform((usage) => ({
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  }))
  .refine(({ output, reasoning }) => output > reasoning, "leaves no token for the visible answer");
const miniSchema = z.object({
  trajectory_format: z.literal("mini-swe-agent-1"),
  instance_id: z.string().min(1),
  messages: z.array(
    z.discriminatedUnion("role", [
      z.object({
        role: z.literal("assistant"),
        content: z.string(),
        extra: z.object({ response: z.object({ usage: usageSchema }) }),
      }),
      z.object({ role: z.enum(["system", "user", "tool"]), content: z.string() }),
    ]),
  ),
});

function readMini(name: string, text: string): Trajectory {
  const { instance_id: id, messages } = readJson(name, text, miniSchema);
  const entries = messages.map((message): Entry => {
    if (message.role !== "assistant")
      return { by: message.role === "system" ? "system" : "other", text: message.content };
    const { said, command } = splitCommand(message.content);
    const { usage } = message.extra.response;
    return { by: "model", text: message.content, said, calls: shellCall(command), tokens: usage };
  });
  return describe(id, entries);
}

const callSchema = z.object({ function: z.object({ name: z.string().min(1), arguments: z.string() }) });
const sweSchema = z.looseObject({
  history: z.array(
    z.looseObject({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string(),
      action: z.string().nullish(),
      tool_calls: z.array(callSchema).max(1).nullish(),
    }),
  ),
});

function readSweAgent(name: string, text: string): Trajectory {
  const { history } = readJson(name, text, sweSchema);
  const entries = history.map(({ role, content, action, tool_calls: calls }): Entry => {
    if (role !== "assistant") return { by: role === "system" ? "system" : "other", text: content };
    const made = calls?.[0]?.function;
    if (made !== undefined) {
      const calls = [{ name: made.name, argumentsJson: made.arguments }];
      return { by: "model", text: content, said: content, calls, tokens: null };
    }
    const { said, command } = splitCommand(content);
    return { by: "model", text: content, said, calls: shellCall(action ?? command), tokens: null };
  });
  return describe(/([^/\\]+?)(\.[^/\\]*)?$/.exec(name)?.[1] ?? name, entries);
}

const recordingSchema = z.object({
  instance_id: z.string().min(1),
  turns: z.array(
    z.object({
      text: z.string(),
      calls: z.array(z.object({ name: z.string().min(1), argumentsJson: z.string() })),
      outputTokens: z.int().positive().nullable(),
    }),
  ),
});

function readRecording(name: string, text: string): Trajectory {
  const { instance_id: id, turns } = readJson(name, text, recordingSchema);
  const steps = turns.map(({ text: said, calls, outputTokens }): TrajectoryStep => {
    const tokens = outputTokens === null ? null : { output: outputTokens, reasoning: 0 };
    return { text: said, said, calls, observation: "", tokens };
  });
  return { id, instructions: "", opening: [], steps };
}

type Entry = { by: "system" | "other"; text: string } | ({ by: "model" } & Omit<TrajectoryStep, "observation">);

function describe(id: string, entries: readonly Entry[]): Trajectory {
  const begins = entries.findIndex(({ by }) => by === "model");
  const opening = begins < 0 ? entries : entries.slice(0, begins);
  const steps = entries.flatMap((entry, index): TrajectoryStep[] => {
    if (entry.by !== "model") return [];
    const answer = entries[index + 1];
    const observation = answer === undefined || answer.by === "model" ? "" : answer.text;
    const { by: _, ...step } = entry;
    return [{ ...step, observation }];
  });
  const textsBy = (by: Entry["by"]): string[] => opening.filter((entry) => entry.by === by).map((entry) => entry.text);
  return { id, instructions: textsBy("system").join("\n\n"), opening: textsBy("other"), steps };
}

const shellCall = (command: string): TrajectoryStep["calls"] => [
  { name: SHELL, argumentsJson: JSON.stringify({ command }) },
];

/** The last fenced block is the command; a text without one is what the agent was then told off for. */
function splitCommand(text: string): { said: string; command: string } {
  const [block, command] = [...text.matchAll(/```[a-z]*\n(.*?)\n?```/gs)].at(-1) ?? [];
  if (block === undefined || command === undefined) return { said: text, command: "" };
  return { said: text.replace(block, "").trim(), command };
}
