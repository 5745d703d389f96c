/**
 * Links that people approve work by. A token is `id.end.signature`: an HMAC-SHA256 over workspace, id and end, with a key of
 * the approval's own, compared in constant time. It is good for one decision before its end, on that subject, in that workspace.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { CentspanError, createId } from "@centspan/base";
import type { Approval, ApprovalStore } from "@centspan/model";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { approvals } from "./schema.ts";
import { type Database, transact } from "./transact.ts";

type Row = typeof approvals.$inferSelect;

export function createApprovalStore(db: Database): ApprovalStore {
  const find = async (token: string): Promise<Row> => {
    const [id = "", end = "", signature = ""] = token.split(".");
    const [row] = await db.select().from(approvals).where(eq(approvals.id, id));
    if (row === undefined || end !== endOf(row) || !isEqual(signature, sign(row)))
      throw new CentspanError("not_found", "token: is not that of an approval", { field: "token" });
    return row;
  };
  return {
    createApproval: (workspace, asked, askedBy) =>
      transact(db, async (tx) => {
        const [row] = await tx
          .insert(approvals)
          .values({
            ...{ id: createId("approval"), workspace, signingKey: randomBytes(32), asked, askedBy },
            // Whole seconds, as the token has them.
            expiresAt: sql`date_trunc('second', now()) + make_interval(hours => ${asked.validHours})`,
          })
          .returning();
        if (row === undefined) throw new CentspanError("store_unavailable", "the approval was not kept");
        const details = { subject: JSON.stringify(asked.subject), until: row.expiresAt.toISOString() };
        await insertAudit(tx, workspace, { actor: askedBy, action: "approval.asked", subject: row.id, details });
        return { approval: toApproval(row), token: `${row.id}.${endOf(row)}.${sign(row)}` };
      }),

    findApproval: async (token) => toApproval(await find(token)),

    async decideApproval(token, decision) {
      const { id, workspace, decision: before, ...rest } = await find(token);
      // Said again the same, as where the answer was lost, it changes nothing.
      if (before !== null && isDeepStrictEqual(before, decision))
        return toApproval({ id, workspace, decision: before, ...rest });
      return transact(db, async (tx) => {
        const [row] = await tx
          .update(approvals)
          .set({ decision, decidedAt: sql`now()` })
          .where(and(eq(approvals.id, id), isNull(approvals.decidedAt), gt(approvals.expiresAt, sql`now()`)))
          .returning();
        if (row === undefined)
          throw new CentspanError("conflict", "token: its time is over, or it was decided already", { field: "token" });
        const details = { isApproved: String(decision.isApproved), reviewMinutes: String(decision.reviewMinutes) };
        await insertAudit(tx, workspace, { actor: decision.by, action: "approval.decided", subject: id, details });
        return toApproval(row);
      });
    },
  };
}

const endOf = ({ expiresAt }: Row): string => Math.round(expiresAt.getTime() / 1000).toString(36);

const sign = (row: Row): string =>
  createHmac("sha256", row.signingKey)
    .update(`${row.workspace}\n${row.id}\n${endOf(row)}`)
    .digest("base64url");

function isEqual(said: string, due: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(due)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const toApproval = ({ id, workspace, asked, askedBy, expiresAt, decidedAt }: Row): Approval => ({
  ...asked,
  approvalId: id,
  workspace,
  askedBy,
  expiresAt,
  decidedAt,
});
