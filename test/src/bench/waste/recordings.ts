/** What engines play where a model is to answer at length, or to call tools: recordings as the harness writes them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "@centspan/base";
import { write } from "./words.ts";

/** Turns of the agent that calls tools, and calls in each. */
export type Recording = { turns: number; calls: number };

const LONG_TURNS = 30;
const LONG_TOKENS = 700;
const RECORDING: Recording = { turns: 4, calls: 3 };
/** As the harness names what the server `bench` lends. */
const TOOL = "bench__look";

type RecordedTurn = { text: string; calls: { name: string; argumentsJson: string }[]; outputTokens: number | null };

export function writeRecordings(folder: string, random: Random): { files: string[]; recording: Recording } {
  const say = (words: number, outputTokens: number | null = null): RecordedTurn => ({
    text: write(random, words),
    calls: [],
    outputTokens,
  });
  const look = (turn: number): RecordedTurn => ({
    ...say(20),
    calls: Array.from({ length: RECORDING.calls }, (_, call) => ({
      name: TOOL,
      argumentsJson: JSON.stringify({ turn, call }),
    })),
  });
  const recordings: Record<string, RecordedTurn[]> = {
    long: Array.from({ length: LONG_TURNS }, () => say(20, LONG_TOKENS + Math.floor(random.next() * 300))),
    calls: [...Array.from({ length: RECORDING.turns }, (_, turn) => look(turn)), say(30)],
  };
  recordings.waits = recordings.calls ?? [];
  const files = Object.entries(recordings).map(([id, turns]) => {
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ trajectory_format: "centspan-run-1", instance_id: id, turns }));
    return file;
  });
  return { files, recording: RECORDING };
}
