/** Whether each store answers, and how far rating has come. Open to all: it says nothing about anybody's data. */
import { asCentspanError, formatInstant } from "@centspan/base";
import { z } from "zod";
import type { ApiDeps } from "../route.ts";

export const healthSchema = z.object({
  status: z.enum(["ok", "degraded"]),
  stores: z.record(z.string(), z.enum(["ok", "away"])),
  /** Every span received before this instant is rated; null before the first pass. */
  ratedThrough: z.string().nullable(),
});
type Health = z.infer<typeof healthSchema>;

export async function readHealth(deps: ApiDeps): Promise<Health> {
  const stores: Health["stores"] = {};
  await Promise.all(
    (["warehouse", "control"] as const).map(async (name) => {
      stores[name] = await deps[name].ping().then(
        () => "ok" as const,
        () => "away" as const,
      );
    }),
  );
  const job = await deps.control.readJob("rating").catch((thrown: unknown) => {
    if (asCentspanError(thrown).code === "store_unavailable") return null;
    throw thrown;
  });
  const status = Object.values(stores).every((state) => state === "ok") ? "ok" : "degraded";
  return { status, stores, ratedThrough: job === null ? null : formatInstant(job.watermarkNs) };
}
