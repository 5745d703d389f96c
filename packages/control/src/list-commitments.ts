import type { Commitment } from "@centspan/model";
import { asc, eq } from "drizzle-orm";
import { commitments as table } from "./schema.ts";
import type { Database } from "./transact.ts";

export async function listCommitments(db: Pick<Database, "select">, workspace: string): Promise<Commitment[]> {
  const rows = await db
    .select({ commitment: table.commitment })
    .from(table)
    .where(eq(table.workspace, workspace))
    .orderBy(asc(table.id));
  return rows.map(({ commitment }) => commitment);
}
