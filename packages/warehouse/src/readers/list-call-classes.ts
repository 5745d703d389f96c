/** What the prices of calls depend on, beside time and context: one row for all calls that are alike in it. */
import type { CallClass, PriceTable, TimeRange } from "@centspan/model";
import { and, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { CLASS_OF_CALL } from "../rating/price-sql.ts";

export async function listCallClasses(
  connection: Connection,
  workspace: string,
  { range, scopes }: { range: TimeRange; scopes: PriceTable["scopes"] },
): Promise<CallClass[]> {
  const within = whereInRange({ range }, "at");
  const rows = await connection.query<
    Record<`class_${"provider" | "model" | "tier" | "region" | "key" | "team"}`, string>
  >(
    `SELECT DISTINCT ${CLASS_OF_CALL}
     FROM calls
     WHERE workspace = {workspace:String}${and(within)}`,
    { ...within.params, ...scopes, workspace },
  );
  return rows.map((row) => ({
    provider: row.class_provider,
    model: row.class_model,
    serviceTier: row.class_tier,
    region: row.class_region,
    keyId: row.class_key,
    team: row.class_team,
  }));
}
