/** Which dialect a record speaks. Precedence is declared by the dialects; the order of the registry only breaks ties. */
import type {
  Dialect,
  LogLayout,
  LogRecord,
  Mark,
  MetricLayout,
  MetricPoint,
  SpanLayout,
  SpanRecord,
} from "@centspan/model";
import { type Attributes, createReader } from "./reader.ts";
import { dialects } from "./registry.gen.ts";

export type Recognised<Layout> = { dialect: Dialect; layout: Layout };

const byPrecedence: readonly Dialect[] = dialects.toSorted((a, b) => (b.precedence ?? 0) - (a.precedence ?? 0));

function collect<Layout>(of: (dialect: Dialect) => readonly Layout[] | undefined): readonly Recognised<Layout>[] {
  return byPrecedence.flatMap((dialect) => (of(dialect) ?? []).map((layout) => ({ dialect, layout })));
}

const spanLayouts = collect(({ spans }) => spans);
const logLayouts = collect(({ logs }) => logs);
const metricLayouts = collect(({ metrics }) => metrics);

/** Of the metrics that count tokens or their cost. */
export const usageMetricNames: readonly string[] = [
  ...new Set(metricLayouts.flatMap(({ layout: { tokens, costUsd = [] } }) => [tokens.name, ...costUsd])),
];

/** Null for a span that no known emitter of model calls wrote. */
export function recogniseSpan(span: Pick<SpanRecord, "attributes" | "scopeName">): Recognised<SpanLayout> | null {
  const read = createReader(span.attributes);
  const isOf = ({ layout: { recognise } }: Recognised<SpanLayout>): boolean =>
    (recognise.scopes?.includes(span.scopeName) || recognise.places?.some((place) => read([place]) !== "") || false) &&
    hasMarks(span.attributes, recognise.marks);
  return spanLayouts.find(isOf) ?? null;
}

/** Null for a record of another event. Tracing bridges put the place in the source where the event's name belongs. */
export function recogniseRecord(record: Pick<LogRecord, "attributes" | "eventName">): Recognised<LogLayout> | null {
  const names = [record.attributes["event.name"], record.eventName];
  const isOf = ({ layout }: Recognised<LogLayout>): boolean =>
    layout.events.some(({ name, marks }) => names.includes(name) && hasMarks(record.attributes, marks));
  return logLayouts.find(isOf) ?? null;
}

/** Null for a metric that counts neither tokens nor their cost. */
export function recogniseMetric(point: Pick<MetricPoint, "name" | "scopeName">): Recognised<MetricLayout> | null {
  const isOf = ({ layout }: Recognised<MetricLayout>): boolean =>
    [layout.tokens.name, ...(layout.costUsd ?? [])].includes(point.name) &&
    (layout.scopes === undefined || layout.scopes.includes(point.scopeName));
  return metricLayouts.find(isOf) ?? null;
}

/** What marks a span of one model call, which matters even when it comes without usage. */
export const modelSpanMarks: readonly Mark[] = spanLayouts.flatMap(({ layout }) => layout.modelSpan ?? []);
const agentSpanMarks: readonly Mark[] = spanLayouts.flatMap(({ layout }) => layout.agentSpan ?? []);

/** Emitters mix their names, so every dialect's mark counts, whoever reads the span. */
export const isModelSpan = (attributes: Attributes): boolean =>
  modelSpanMarks.some((mark) => hasMark(attributes, mark));
export const isAgentSpan = (attributes: Attributes): boolean =>
  agentSpanMarks.some((mark) => hasMark(attributes, mark));

const hasMarks = (attributes: Attributes, marks: readonly Mark[] = []): boolean =>
  marks.every((mark) => hasMark(attributes, mark));

const hasMark = (attributes: Attributes, { attribute, values }: Mark): boolean =>
  values.includes(attributes[attribute] ?? "");
