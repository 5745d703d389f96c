/**
 * Replays recorded runs of mini-swe-agent: turn n answers with the n-th recorded answer, whatever was asked, and takes
 * as many tokens as it took then.
 */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { countAssistantTurns, type PlayedTurn, type Player, say } from "./player.ts";

const answerSchema = z.object({
  role: z.literal("assistant"),
  content: z.string().min(1),
  extra: z.object({
    response: z.object({
      usage: z
        .object({
          completion_tokens: z.int().positive(),
          completion_tokens_details: z.object({ reasoning_tokens: z.int().nonnegative() }).nullish(),
        })
        .refine((usage) => usage.completion_tokens > (usage.completion_tokens_details?.reasoning_tokens ?? 0), {
          error: "leaves no token for the visible answer",
        }),
    }),
  }),
});
const trajectorySchema = z.object({
  trajectory_format: z.literal("mini-swe-agent-1"),
  instance_id: z.string().min(1),
  messages: z.array(
    z.discriminatedUnion("role", [answerSchema, z.object({ role: z.enum(["system", "user", "tool"]) })]),
  ),
});

export async function loadReplayPlayer(file: string): Promise<Player> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CentspanError("invalid_file", `CENTSPAN_REPLAY_FILES: ${file} can't be read`, { cause });
  });
  return createReplayPlayer(text, file);
}

export function createReplayPlayer(text: string, file: string): Player {
  const parsed = trajectorySchema.safeParse(parseJson(text, file));
  if (!parsed.success) {
    throw new CentspanError(
      "invalid_file",
      `${file} is no mini-swe-agent trajectory: ${z.prettifyError(parsed.error)}`,
    );
  }
  const turns = parsed.data.messages.flatMap((message): PlayedTurn[] => {
    if (message.role !== "assistant") return [];
    const usage = message.extra.response.usage;
    const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens ?? 0;
    return [{ ...say(message.content), recorded: { outputTokens: usage.completion_tokens, reasoningTokens } }];
  });
  const ended = say(`The recorded run ${parsed.data.instance_id} has ${turns.length} answers, and all were given.`);
  return {
    model: `replay-${parsed.data.instance_id}`,
    answer: (conversation) => turns[countAssistantTurns(conversation)] ?? ended,
  };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CentspanError("invalid_file", `${file} is not JSON`, { cause });
  }
}
