/** Asks a collector how it is: what waits in its spool, how far its loader is behind, what it refused and why. */
import { CentspanError } from "@centspan/base";
import { type CollectorStatus, collectorStatusSchema } from "@centspan/model";

const PATIENCE_MS = 3_000;

/**
 * A key of kind `ingest` is needed where the collector is on another machine. Rejects with `not_ready` where nothing
 * answers, `unauthenticated` where the key is missing or wrong, `upstream_failed` where something else answers.
 */
export async function readCollectorStatus(otlpUrl: string, ingestKey?: string): Promise<CollectorStatus> {
  const url = new URL("/status", otlpUrl).href;
  const headers: Record<string, string> = ingestKey === undefined ? {} : { authorization: `Bearer ${ingestKey}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).catch((cause: unknown) => {
    throw new CentspanError("not_ready", `nothing answers at ${url}`, { cause });
  });
  if (response.status === 401 || response.status === 403) {
    throw new CentspanError("unauthenticated", `${url} wants a key of kind ingest`);
  }
  const status = collectorStatusSchema.safeParse(await response.json().catch(() => null));
  if (response.ok && status.success) return status.data;
  throw new CentspanError("upstream_failed", `${url} answered ${response.status} and no status of a collector`);
}
