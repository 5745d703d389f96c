/** How far each background job has come, kept across restarts. */
import type { JobStore } from "@centspan/model";
import { eq, sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { jobs } from "./schema.ts";

export function createJobStore(db: NodePgDatabase): JobStore {
  return {
    async readJob(job) {
      const [row] = await db
        .select({ watermarkNs: jobs.watermarkNs, updatedAt: jobs.updatedAt })
        .from(jobs)
        .where(eq(jobs.job, job));
      return row ?? null;
    },

    async writeJob(job, watermarkNs) {
      await db
        .insert(jobs)
        .values({ job, watermarkNs })
        .onConflictDoUpdate({ target: jobs.job, set: { watermarkNs, updatedAt: sql`now()` } });
    },
  };
}
