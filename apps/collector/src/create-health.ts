/**
 * Whether the collector can take data now, which is all that `/health` is about. The warehouse away is named but no
 * illness: the spool takes data for it. The control plane away is one only once no known key is accepted any more.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Spool } from "./spool/open-spool.ts";

export type Health = { isHealthy: boolean; status: "ok" | "unavailable"; away: string[]; message?: string };

type HealthOptions = {
  spool: Pick<Spool, "state">;
  /** Rejects while the warehouse is away. */
  askWarehouse(): Promise<unknown>;
  /** Rejects while the control plane, which knows the keys, is away. */
  askControl(): Promise<unknown>;
  /** How long known keys go on without it. */
  keysKnownForMs: number;
  nowMs(): number;
};

/** Who asks for health waits a few seconds: a store that does not answer in this time is as good as away. */
const PATIENCE_MS = 1_500;
/** A refusal that is older says nothing of now: the next request tries again. */
const REFUSAL_LASTS_MS = 5_000;

export function createHealth(options: HealthOptions): () => Promise<Health> {
  const { spool, nowMs } = options;
  let controlSeenMs = nowMs();
  return async () => {
    const [warehouse, control] = await Promise.allSettled([
      inTime(options.askWarehouse()),
      inTime(options.askControl()),
    ]);
    if (control.status === "fulfilled") controlSeenMs = nowMs();
    const away = [
      ...(warehouse.status === "rejected" ? ["clickhouse"] : []),
      ...(control.status === "rejected" ? ["postgres"] : []),
    ];
    const { bytes, maxBytes, refusal } = spool.state();
    if (bytes >= maxBytes) return createIll(away, "the spool is full");
    if (refusal !== null && nowMs() - refusal.atMs < REFUSAL_LASTS_MS) return createIll(away, refusal.error.message);
    if (nowMs() - controlSeenMs >= options.keysKnownForMs) return createIll(away, "no key can be checked");
    const message = warehouse.status === "rejected" ? "data waits in the spool until the warehouse is back" : undefined;
    return { isHealthy: true, status: "ok", away, ...(message === undefined ? {} : { message }) };
  };
}

async function inTime(answer: Promise<unknown>): Promise<void> {
  const late = Symbol("late");
  if ((await Promise.race([answer, sleep(PATIENCE_MS, late, { ref: false })])) === late) throw new Error("no answer");
}

const createIll = (away: string[], message: string): Health => ({
  isHealthy: false,
  status: "unavailable",
  away,
  message,
});
