/** What a call costs on each generation of processor, told by the gateways of a fleet and forgotten when they fall silent. */
import type { GatewayCosts } from "@centspan/model";
import { avg, gt, lt, sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { gatewayCosts } from "./schema.ts";

const HEARD_FOR = sql`now() - interval '2 minutes'`;

export function createGatewayCosts(db: NodePgDatabase): GatewayCosts {
  return {
    async shareGatewayCost({ gateway, cpuModel, cpuUsPerCall }) {
      await db.delete(gatewayCosts).where(lt(gatewayCosts.heardAt, HEARD_FOR));
      if (cpuUsPerCall !== null) {
        await db
          .insert(gatewayCosts)
          .values({ gateway, cpuModel, cpuUsPerCall })
          .onConflictDoUpdate({ target: gatewayCosts.gateway, set: { cpuUsPerCall, heardAt: sql`now()` } });
      }
      return db
        .select({ cpuModel: gatewayCosts.cpuModel, cpuUsPerCall: avg(gatewayCosts.cpuUsPerCall).mapWith(Number) })
        .from(gatewayCosts)
        .where(gt(gatewayCosts.heardAt, HEARD_FOR))
        .groupBy(gatewayCosts.cpuModel);
    },
  };
}
