/** The models this engine serves, by name. */
import { CentspanError } from "@centspan/base";
import { anyToolsPlayer } from "./any-tools.ts";
import { optimizerPlayer } from "./optimizer.ts";
import { type Player, withHandover } from "./player.ts";
import { loadReplayPlayer } from "./replay.ts";
import { createScriptedPlayers } from "./scripted.ts";
import { SCRIPTS } from "./scripts.gen.ts";

export type Players = { models: string[]; find(model: string): Player };

export async function loadPlayers(replayFiles: readonly string[]): Promise<Players> {
  const replays = await Promise.all(replayFiles.map(loadReplayPlayer));
  const players = new Map(
    [...createScriptedPlayers(SCRIPTS), anyToolsPlayer, optimizerPlayer, ...replays].map((player) => [
      player.model,
      withHandover(player),
    ]),
  );
  const models = [...players.keys()].sort();
  return {
    models,
    find(model) {
      const player = players.get(model);
      if (player) return player;
      throw new CentspanError("not_found", `model: no ${JSON.stringify(model)} here; known: ${models.join(", ")}`, {
        field: "model",
      });
    },
  };
}
