/** Kills programs at moments that a seed decides, and starts each again at once on the same folder. */
import type { Part } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";

type Options = {
  parts: readonly Part[];
  kills: number;
  random: () => number;
  /** A count that grows with the load: moments are told by it, not by a clock. */
  progress(): number;
  say(text: string): void;
};

const MAX_PROGRESS = 40;
/** So often a program is killed again while it still starts. */
const KILL_WHILE_STARTING = 0.2;

export async function killInTurn({ parts, kills, random, progress, say }: Options): Promise<number> {
  const moment = async (): Promise<void> => {
    const target = progress() + 1 + Math.floor(random() * MAX_PROGRESS);
    await until(`the load reaches ${target} tries`, async () => (progress() >= target ? true : undefined), 60_000);
  };
  let killed = 0;
  for (let turn = 0; killed < kills; turn += 1) {
    const part = parts[turn % parts.length];
    if (part === undefined) throw new Error("nothing to kill");
    await moment();
    await part.end("SIGKILL");
    killed += 1;
    if (random() < KILL_WHILE_STARTING) {
      // It may be ready before it is killed; either way it is started again below.
      part.start().catch(() => undefined);
      await moment();
      await part.end("SIGKILL");
      killed += 1;
    }
    await part.start();
    say(`${killed} kills, last ${part.name}, ${progress()} tries`);
  }
  return killed;
}
