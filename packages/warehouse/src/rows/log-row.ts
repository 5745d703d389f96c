/** Log records between the model and the columns of `logs`. */
import type { LogRecord } from "@centspan/model";
import { nanoseconds } from "../instants.ts";

/** What a reader selects to get whole records. */
export const LOG_COLUMNS = `${nanoseconds("at")} AS at_ns, ${nanoseconds("observed_at")} AS observed_ns,
  trace_id, span_id, severity_number, severity_text, event_name, body, service,
  attributes, resource_attributes, scope_name`;

export type LogRow = {
  at_ns: string;
  observed_ns: string;
  trace_id: string;
  span_id: string;
  severity_number: number;
  severity_text: string;
  event_name: string;
  body: string;
  service: string;
  attributes: Record<string, string>;
  resource_attributes: Record<string, string>;
  scope_name: string;
};

export const fromLogRow = (row: LogRow): LogRecord => ({
  atNs: BigInt(row.at_ns),
  observedAtNs: BigInt(row.observed_ns),
  traceId: row.trace_id,
  spanId: row.span_id,
  severityNumber: row.severity_number,
  severityText: row.severity_text,
  eventName: row.event_name,
  body: row.body,
  service: row.service,
  attributes: row.attributes,
  resourceAttributes: row.resource_attributes,
  scopeName: row.scope_name,
});
