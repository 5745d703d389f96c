/** Spans and log records for whoever may not read content: without it, and with the names of what was left out. */
import { CentspanError } from "@centspan/base";
import {
  type AttributeFilter,
  isContent,
  type LogRow,
  may,
  type Principal,
  type SpanDetail,
  splitContent,
} from "@centspan/model";

const hideText = (name: string, text: string): string[] => (text === "" ? [] : [name]);

export function hideSpanContent(span: SpanDetail): SpanDetail {
  const [own, resource] = [splitContent(span.attributes), splitContent(span.resourceAttributes)];
  const events = span.events.map((event) => ({ ...event, ...splitContent(event.attributes) }));
  return {
    ...span,
    // It often repeats what could not be done, prompt and all.
    statusMessage: "",
    attributes: own.plain,
    resourceAttributes: resource.plain,
    events: events.map(({ plain, hidden: _hidden, ...event }) => ({ ...event, attributes: plain })),
    hidden: [
      ...hideText("statusMessage", span.statusMessage),
      ...own.hidden,
      ...resource.hidden,
      ...events.flatMap(({ name, hidden }) => hidden.map((attribute) => `${name}: ${attribute}`)),
    ],
  };
}

export function hideLogContent(log: LogRow): LogRow {
  const [own, resource] = [splitContent(log.attributes), splitContent(log.resourceAttributes)];
  return {
    ...log,
    body: "",
    attributes: own.plain,
    resourceAttributes: resource.plain,
    hidden: [...hideText("body", log.body), ...own.hidden, ...resource.hidden],
  };
}

/** What may not be read may not be guessed by asking for it either. */
export function requirePlain(principal: Principal, asked: AttributeFilter | undefined): void {
  if (asked === undefined || may(principal, "content.read") || !isContent(asked.key, asked.value)) return;
  throw new CentspanError("forbidden", `attribute: ${asked.key} is content, and you lack content.read`, {
    field: "attribute",
  });
}
