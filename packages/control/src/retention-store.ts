/** How long each workspace keeps a signal. Without a row it is kept for ever. */

import { CentspanError } from "@centspan/base";
import type { RetentionPolicies } from "@centspan/model";
import { and, asc, eq } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { retentionPolicies } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

export function createRetentionPolicies(db: Database): RetentionPolicies {
  return {
    listRetention: () =>
      db
        .select({
          workspace: retentionPolicies.workspace,
          signal: retentionPolicies.signal,
          days: retentionPolicies.days,
        })
        .from(retentionPolicies)
        .orderBy(asc(retentionPolicies.workspace), asc(retentionPolicies.signal)),

    async setRetention(workspace, signal, days, actor) {
      try {
        await transact(db, async (tx) => {
          if (days === null) {
            const isEntry = and(eq(retentionPolicies.workspace, workspace), eq(retentionPolicies.signal, signal));
            await tx.delete(retentionPolicies).where(isEntry);
          } else {
            await tx
              .insert(retentionPolicies)
              .values({ workspace, signal, days })
              .onConflictDoUpdate({ target: [retentionPolicies.workspace, retentionPolicies.signal], set: { days } });
          }
          const details = { days: days ?? "for ever" };
          await insertAudit(tx, workspace, { actor, action: "retention.set", subject: signal, details });
        });
      } catch (thrown) {
        throw explainViolation(thrown, workspace);
      }
    },
  };
}

function explainViolation(thrown: unknown, workspace: string): unknown {
  const constraint = violatedConstraint(thrown);
  if (constraint === "retention_policies_days") {
    return new CentspanError("invalid_request", "days: must be a whole number from 1 to 36500", { field: "days" });
  }
  if (constraint === null) return thrown;
  return new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
}
