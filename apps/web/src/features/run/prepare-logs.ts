/** Log records as lines on a run's time axis. Pure. */
import type { LogRow } from "@centspan/model";
import { formatOffset, formatPrecise, parseInstantNs } from "@centspan/ui";

export type LogLine = {
  /** Log records have no id, and two may be alike in everything: their place tells them apart. */
  key: string;
  offset: string;
  at: string;
  severity: { text: string; isAttention: boolean } | null;
  service: string;
  event: string;
  /** What it says besides the event's name, in one line. */
  says: string;
  body: string;
  attributes: [string, string][];
  /** What whoever looks may not see. */
  hidden: readonly string[];
  spanId: string;
};

export function prepareLogs(records: readonly LogRow[], startedNs: bigint): LogLine[] {
  return records.map((record, place) => {
    const atNs = parseInstantNs(record.at);
    return {
      key: `${record.at} ${place}`,
      offset: atNs < startedNs ? `−${formatOffset(startedNs - atNs)}` : formatOffset(atNs - startedNs),
      at: formatPrecise(atNs),
      severity: describeSeverity(record),
      service: record.service,
      ...describeRecord(record),
      body: record.body,
      attributes: Object.entries(record.attributes).sort(),
      hidden: record.hidden,
      spanId: record.spanId,
    };
  });
}

const WARN = 13;
const NAMES = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];

/** Null where the sender says nothing of it. */
function describeSeverity({ severityNumber, severityText }: LogRow): LogLine["severity"] {
  const text = severityText === "" ? NAMES[Math.ceil(severityNumber / 4) - 1] : severityText;
  return text === undefined ? null : { text, isAttention: severityNumber >= WARN };
}

/** Attributes that say what a record is about, in the order in which they are worth a place in the line. */
const TELLING = ["model", "gen_ai.request.model", "tool_name", "decision", "error", "error.message", "status_code"];

/** Tracing bridges put the place in the source where the event's name belongs; the attribute has the name then. */
function describeRecord({ eventName, body, attributes }: LogRow): Pick<LogLine, "event" | "says"> {
  const event = attributes["event.name"] || eventName;
  const told = TELLING.flatMap((name) => attributes[name] || []).join(" · ");
  const repeats = body === eventName || body === event || body.endsWith(`.${event}`);
  return { event, says: body === "" || repeats ? told : body };
}
