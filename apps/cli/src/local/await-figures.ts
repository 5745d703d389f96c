/** Waits until what was sent is in every figure: rated, looked at for waste, and tied to outcomes. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseInstant } from "@centspan/base";
import { WISH_JOB } from "@centspan/model";
import type { OpenStores } from "../stores.ts";

const PATIENCE_MS = 600_000;
const ASK_EVERY_MS = 250;
/** The collector loads what it acknowledged within a second, normally. */
const SETTLES_NS = 2_000_000_000n;

/** Whether all came to pass in time. `onStep` says what is waited for. */
export async function awaitFigures(
  { control, apiFor }: Pick<OpenStores, "control" | "apiFor">,
  { workspace, nowNs, signal }: { workspace: string; nowNs(): bigint; signal: AbortSignal },
  onStep: (text: string) => void,
): Promise<boolean> {
  const api = apiFor(workspace);
  const endAt = performance.now() + PATIENCE_MS;
  const reach = async (what: string, dueNs: bigint, read: () => Promise<bigint | null>): Promise<boolean> => {
    onStep(what);
    for (;;) {
      if (((await read()) ?? 0n) >= dueNs) return true;
      if (performance.now() > endAt || signal.aborted) return false;
      await sleep(ASK_EVERY_MS);
    }
  };
  const readRated = async (): Promise<bigint | null> => {
    const { ratedThrough } = await api.health();
    return ratedThrough === null ? null : parseInstant(ratedThrough);
  };
  if (!(await reach("pricing each call", nowNs() + SETTLES_NS, readRated))) return false;
  // A pass notes how far it came before it ties outcomes to spend, so the next one is waited for.
  for (const job of ["work-marks", "work-marks", "waste"]) {
    const what = job === "waste" ? "looking for what was paid twice" : "tying outcomes to spend";
    await control.writeJob(WISH_JOB, nowNs());
    const read = async () => (await control.readJob(job))?.watermarkNs ?? null;
    if (!(await reach(what, nowNs(), read))) return false;
  }
  return true;
}
