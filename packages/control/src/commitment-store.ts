/**
 * Seats, credits and capacity that a workspace pays for. They are added and ended while no month closes and nobody writes, so
 * that what was said of closed months can't change; each addition and each end is in the audit log.
 */
import { CentspanError } from "@centspan/base";
import type { Commitment, CommitmentStore } from "@centspan/model";
import { and, eq, sql } from "drizzle-orm";
import { listCommitments } from "./list-commitments.ts";
import { insertAudit, lockOf, readClosedTo } from "./period-store.ts";
import { isNew } from "./price-terms-store.ts";
import { commitments as table } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, type Transaction, transact } from "./transact.ts";

export function createCommitmentStore(db: Database): CommitmentStore {
  const change = <T>(workspace: string, work: (tx: Transaction, closedToNs: bigint) => Promise<T>): Promise<T> =>
    transact(db, async (tx) => {
      await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
      return work(tx, await readClosedTo(tx, workspace));
    });
  return {
    listCommitments: (workspace) => listCommitments(db, workspace),

    async addCommitments(workspace, commitments, actor, check) {
      try {
        await change(workspace, async (tx, closedToNs) => {
          const before = await listCommitments(tx, workspace);
          const known = new Map(before.map((commitment) => [commitment.id, commitment]));
          const added = commitments.filter((one) => isNew(one, known.get(one.id), one.id, "commitments"));
          check([...before, ...added], added, closedToNs);
          if (added.length === 0) return;
          await tx.insert(table).values(added.map((commitment) => ({ workspace, id: commitment.id, commitment })));
          const subject = added.map(({ id }) => id).join(", ");
          const details = { commitments: added.length };
          await insertAudit(tx, workspace, { actor, action: "commitments.added", subject, details });
        });
      } catch (thrown) {
        if (violatedConstraint(thrown) === null) throw thrown;
        throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
      }
    },

    endCommitment: (workspace, id, to, actor, check) =>
      change(workspace, async (tx, closedToNs) => {
        const before = await find(tx, workspace, id);
        if (before.to !== undefined)
          throw new CentspanError("conflict", `to: commitment ${id} ends on ${before.to} already`, { field: "to" });
        const commitment = { ...before, to };
        check(commitment, closedToNs);
        await tx
          .update(table)
          .set({ commitment })
          .where(and(eq(table.workspace, workspace), eq(table.id, id)));
        await insertAudit(tx, workspace, { actor, action: "commitments.ended", subject: id, details: { to } });
      }),

    removeCommitment: (workspace, id, actor, check) =>
      change(workspace, async (tx, closedToNs) => {
        const commitment = await find(tx, workspace, id);
        check(commitment, closedToNs);
        await tx.delete(table).where(and(eq(table.workspace, workspace), eq(table.id, id)));
        const details = { from: commitment.from, source: commitment.source };
        await insertAudit(tx, workspace, { actor, action: "commitments.removed", subject: id, details });
      }),
  };
}

async function find(db: Pick<Database, "select">, workspace: string, id: string): Promise<Commitment> {
  const found = (await listCommitments(db, workspace)).find((one) => one.id === id);
  if (!found) throw new CentspanError("not_found", `There is no commitment ${id} in this workspace.`);
  return found;
}
