/**
 * Replays recorded runs: turn n answers with the n-th recorded answer, whatever was asked, and takes as many tokens as it
 * took then, where that is known. An agent that has the recorded tools gets the calls; to another one they are text.
 */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { readTrajectory, type TrajectoryStep } from "@centspan/histories";
import type { Conversation } from "@centspan/model";
import { countAssistantTurns, type PlayedTurn, type Player, say } from "./player.ts";

export async function loadReplayPlayer(file: string): Promise<Player> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CentspanError("invalid_file", `CENTSPAN_REPLAY_FILES: ${file} can't be read`, { cause });
  });
  return createReplayPlayer(text, file);
}

export function createReplayPlayer(text: string, file: string): Player {
  const { id, steps } = readTrajectory(file, text);
  const ended = say(`The recorded run ${id} has ${steps.length} answers, and all were given.`);
  return {
    model: `replay-${id}`,
    answer(conversation) {
      const step = steps[countAssistantTurns(conversation)];
      return step === undefined ? ended : playStep(step, conversation);
    },
  };
}

function playStep({ text, said, calls, tokens }: TrajectoryStep, { tools }: Conversation): PlayedTurn {
  const areOffered = calls.every((call) => tools.some(({ name }) => name === call.name));
  const turn = areOffered ? { reasoning: "", text: said, toolCalls: calls } : say(text);
  return tokens === null
    ? turn
    : { ...turn, recorded: { outputTokens: tokens.output, reasoningTokens: tokens.reasoning } };
}
