/**
 * All spans of one trace by column, and nothing that a waterfall's first rows can do without. The order is the server's work,
 * and so is what many rows repeat: hundreds of thousands of values are read in one go.
 */
import type { StoredSkeleton } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import { listConflicts } from "./read-trace.ts";

type Row = {
  span_id: string;
  parent_span_id: string;
  name: string;
  service: string;
  layer: string;
  host: string;
  status: string;
  started_ns: string;
  ended_ns: string;
};

const IN_TRACE = "workspace = {workspace:String} AND trace_id = {traceId:String}";

const SELECT_COLUMNS = `SELECT * EXCEPT trace_id FROM (
    SELECT trace_id, span_id, parent_span_id, name, service, layer, resource_attributes['host.name'] AS host, status,
      ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns
    FROM spans WHERE ${IN_TRACE} ${FIRST_RECEIVED}
  )
  ORDER BY started_ns, ended_ns, span_id`;

const SELECT_LINKS = `SELECT span_id, toUInt32(length(links)) AS count FROM spans
  WHERE ${IN_TRACE} AND notEmpty(links) ${FIRST_RECEIVED}`;

/** A span's name is a narrow column: attributes are read of those alone that are turns. */
const SELECT_TURNS = `SELECT span_id, attributes['centspan.turn.number'] AS turn FROM spans
  PREWHERE ${IN_TRACE} AND name = 'loop.turn' ${FIRST_RECEIVED}`;

export async function readSkeleton(
  connection: Connection,
  workspace: string,
  traceId: string,
): Promise<StoredSkeleton> {
  const params = { workspace, traceId };
  const [columns, links, turns, conflictingSpanIds] = await Promise.all([
    connection.queryColumns<Row>(SELECT_COLUMNS, params),
    connection.query<{ span_id: string; count: number }>(SELECT_LINKS, params),
    connection.query<{ span_id: string; turn: string }>(SELECT_TURNS, params),
    listConflicts(connection, workspace, traceId),
  ]);
  return {
    columns: {
      spanIds: columns.span_id,
      parentSpanIds: columns.parent_span_id,
      names: columns.name,
      services: columns.service,
      layers: columns.layer,
      hosts: columns.host,
      statuses: columns.status,
      startedNs: columns.started_ns.map(BigInt),
      endedNs: columns.ended_ns.map(BigInt),
    },
    links: new Map(links.map(({ span_id, count }) => [span_id, count])),
    turns: new Map(turns.filter(({ turn }) => turn !== "").map(({ span_id, turn }) => [span_id, turn])),
    conflictingSpanIds,
  };
}
