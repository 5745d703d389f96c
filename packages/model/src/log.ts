/** A log record as it is stored: ids in lower-case hex or empty, attribute values and body as text. */
export type LogRecord = {
  /** When it happened; where the sender says nothing of that, when it was observed. */
  atNs: bigint;
  observedAtNs: bigint;
  traceId: string;
  spanId: string;
  /** 0 (unspecified) to 24, as OpenTelemetry has it. */
  severityNumber: number;
  severityText: string;
  /** The field of that name, else the attribute `event.name`. */
  eventName: string;
  body: string;
  service: string;
  attributes: Record<string, string>;
  resourceAttributes: Record<string, string>;
  scopeName: string;
};
