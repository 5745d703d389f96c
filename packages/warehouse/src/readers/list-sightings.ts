/** What spans say of where work was done: each place once for each trace and session, of the spans that came since. */
import type { OutcomeLinkStore } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { readHorizon } from "./read-horizon.ts";

type Row = { workspace: string; trace_id: string; session_id: string; at_ns: string; place: string[] };

export async function listSightings(
  connection: Connection,
  sinceNs: bigint,
  names: readonly string[],
): ReturnType<OutcomeLinkStore["listSightings"]> {
  const asOfNs = await readHorizon(connection, ["spans"]);
  const rows = await connection.query<Row>(
    `SELECT workspace, trace_id, session_id, ${nanoseconds("min(started_at)")} AS at_ns,
       arrayMap(name -> if(attributes[name] != '', attributes[name], resource_attributes[name]), {names:Array(String)}) AS place
     FROM spans
     WHERE received_at >= ${instantParam("sinceNs")}
       AND (hasAny(mapKeys(attributes), {names:Array(String)}) OR hasAny(mapKeys(resource_attributes), {names:Array(String)}))
     GROUP BY workspace, trace_id, session_id, place`,
    { sinceNs: sinceNs.toString(), names },
  );
  const sightings = rows.map((row) => ({
    workspace: row.workspace,
    traceId: row.trace_id,
    sessionId: row.session_id,
    atNs: BigInt(row.at_ns),
    attributes: Object.fromEntries(names.flatMap((name, n) => (row.place[n] ? [[name, row.place[n]]] : []))),
  }));
  return { sightings, asOfNs };
}
