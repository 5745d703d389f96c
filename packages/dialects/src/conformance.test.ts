/** What every layout of every dialect must do, over the registry: a new file is tested without editing this one. */
import {
  type CallLayout,
  COUNT_FIELDS,
  type CountField,
  EMPTY_BUCKETS,
  type LogLayout,
  type Mark,
  type MetricPoint,
  type Place,
  type SpanLayout,
} from "@centspan/model";
import { describe, expect, it } from "vitest";
import {
  createReader,
  dialects,
  isAgentSpan,
  isModelSpan,
  isUsageAttribute,
  readFirstTokenMs,
  readModelFacts,
  readUsage,
  recogniseMetric,
  recogniseRecord,
  recogniseSpan,
} from "./index.ts";
import { attributeOf } from "./reader.ts";

type Counts = Partial<Record<CountField, string>>;
type Attributes = Record<string, string>;

/** Writes a fact where a layout finds it; values in JSON are numbers where they look like it, as emitters send them. */
function put(attributes: Attributes, place: Place | undefined, text: string): void {
  if (place === undefined) return;
  if (typeof place === "string" || place.path === undefined) {
    attributes[attributeOf(place)] = text;
    return;
  }
  const [last, ...outer] = place.path.toReversed();
  const value: unknown = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (last === undefined) attributes[place.attribute] = JSON.stringify(value);
  else {
    const document = JSON.parse(attributes[place.attribute] ?? "{}");
    const holder = outer.reduceRight((at, key) => {
      at[key] ??= {};
      return at[key];
    }, document);
    holder[last] = value;
    attributes[place.attribute] = JSON.stringify(document);
  }
}

const putMarks = (attributes: Attributes, marks: readonly Mark[] = []): void => {
  for (const { attribute, values } of marks) attributes[attribute] = values[0] ?? "";
};

function writeCounts({ fields }: CallLayout, counts: Counts): Attributes {
  const attributes: Attributes = {};
  for (const field of COUNT_FIELDS) {
    const text = counts[field];
    if (text !== undefined) put(attributes, fields[field]?.[0], text);
  }
  return attributes;
}

const isBreakdown = ({ fields }: SpanLayout, place: Place): boolean =>
  [fields.cacheRead, fields.cacheWrite, fields.reasoning].some((places) =>
    places?.some((own) => JSON.stringify(own) === JSON.stringify(place)),
  );

/** As the emitter would write it: what the layout is recognised by is there, whichever counts are. */
function makeSpan(layout: SpanLayout, counts: Counts) {
  const { scopes, places = [], marks } = layout.recognise;
  const attributes = writeCounts(layout, counts);
  const countPlaces = COUNT_FIELDS.flatMap((field) => layout.fields[field] ?? []).map(attributeOf);
  for (const place of places) {
    if (!countPlaces.includes(attributeOf(place))) put(attributes, place, "0");
  }
  const [first] = places;
  const isThere = first !== undefined && createReader(attributes)([first]) !== "";
  if (!isThere && places.every((place) => isBreakdown(layout, place))) put(attributes, first, "0");
  putMarks(attributes, marks);
  return { attributes, scopeName: scopes?.[0] ?? "" };
}

function makeRecord(layout: LogLayout, counts: Counts) {
  const [event] = layout.events;
  const attributes: Attributes = { "event.name": event?.name ?? "", ...writeCounts(layout, counts) };
  putMarks(attributes, event?.marks);
  return { attributes, scopeName: "", eventName: "event some/source/file.rs:12" };
}

const samples = dialects.flatMap((dialect) => [
  ...(dialect.spans ?? []).map((layout, index) => ({
    name: `${dialect.id}, spans ${index + 1}`,
    dialect,
    layout,
    make: (counts: Counts) => makeSpan(layout, counts),
    recognise: recogniseSpan,
  })),
  ...(dialect.logs ?? []).map((layout, index) => ({
    name: `${dialect.id}, logs ${index + 1}`,
    dialect,
    layout,
    make: (counts: Counts) => makeRecord(layout, counts),
    recognise: (record: ReturnType<typeof makeRecord>) => recogniseRecord(record),
  })),
]);

it("there is a dialect for every emitter that we say we read", () => {
  expect(dialects.map(({ id }) => id)).toEqual([
    "ai-sdk",
    "ai-sdk-legacy",
    "claude-code",
    "codex",
    "envoy-ai-gateway",
    "gemini-cli",
    "google-adk",
    "langfuse",
    "litellm",
    "openinference",
    "openllmetry",
    "semconv",
    "sglang",
    "vllm",
  ]);
});

describe.each(samples)("dialect $name", ({ dialect, layout, make, recognise }) => {
  const { fields } = layout;
  const usageOf = (counts: Counts) => readUsage(createReader(make(counts).attributes), layout);
  const has = (field: CountField): number => (fields[field] ? 1 : 0);
  const [read, write] = [has("cacheRead") * 40, has("cacheWrite") * 25];
  const hour = has("cacheWrite1h") * 10;
  const [thought, beside] = [has("reasoning") * 15, has("inputBeside") * 7];

  it("is recognised by what it writes, and says what it is", () => {
    const sample = { ...make({ input: "300", output: "60", total: "360" }), eventName: "" };
    expect(recognise(sample)).toEqual({ dialect, layout });
    expect(Object.keys(sample.attributes).some(isUsageAttribute)).toBe(true);
    expect(dialect.describe).not.toBe("");
  });

  it("gives buckets that are disjoint, whatever its counts include", () => {
    const usage = usageOf({
      input: "300",
      inputBeside: "7",
      output: "60",
      cacheRead: "40",
      cacheWrite: "25",
      cacheWrite1h: "10",
      reasoning: "15",
    });
    expect(usage).toMatchObject({
      buckets: {
        input: beside + (layout.inputIncludesCached ? 300 - read - write : 300),
        cacheRead: read,
        cacheWrite5m: write - hour,
        cacheWrite1h: hour,
        outputText: layout.outputIncludesReasoning ? 60 - thought : 60,
        outputReasoning: thought,
      },
      inputSemantics: layout.inputIncludesCached ? "inclusive" : "exclusive",
      quarantineReason: "",
    });
  });

  it("reads a double and a string alike, and zero as a value", () => {
    expect(usageOf({ input: "300.0", output: "60" })?.buckets.input).toBe(300);
    expect(usageOf({ input: "0", output: "0" })).toMatchObject({
      buckets: EMPTY_BUCKETS,
      flags: ["explicit_zero_usage"],
      quarantineReason: "",
    });
  });

  it("sees no usage where only a breakdown is given", () => {
    expect(usageOf({ reasoning: "15", cacheRead: "3" })).toBeNull();
  });

  it.each([
    { why: "a negative count", counts: { input: "-1", output: "60" }, reason: "negative_count" },
    { why: "half a token", counts: { input: "0.5", output: "60" }, reason: "invalid_count" },
    { why: "text", counts: { input: "many", output: "60" }, reason: "invalid_count" },
    { why: "more than 2^53", counts: { input: "9007199254740993", output: "60" }, reason: "invalid_count" },
  ])("quarantines $why", ({ counts, reason }) => {
    expect(usageOf(counts)).toMatchObject({ quarantineReason: reason, buckets: EMPTY_BUCKETS });
  });

  it("quarantines a total that does not add up", () => {
    expect(usageOf({ input: "300", output: "60", total: "999" })?.quarantineReason).toBe(
      fields.total ? "total_mismatch" : "",
    );
  });

  it("names the model that answered before the one asked for", () => {
    const attributes: Attributes = {};
    for (const place of fields.requestModel ?? []) put(attributes, place, "claude-asked");
    for (const place of fields.responseModel ?? []) put(attributes, place, "claude-answered");
    const facts = readModelFacts(createReader(attributes), { dialect, layout });
    expect(facts.model).toBe(fields.responseModel ? "claude-answered" : "claude-asked");
    expect(facts.provider).toBe(dialect.defaultProvider ?? "anthropic");
  });

  it("gives the time to the first token in milliseconds, whatever its unit", () => {
    const startedAtNs = 1_790_000_000_000_000_000n;
    const texts = { ms: ["250"], s: ["0.25", "250000000"], instant: ["2026-09-21T14:13:20.250Z"] };
    for (const { place, unit } of layout.firstToken ?? []) {
      for (const text of texts[unit]) {
        const attributes: Attributes = {};
        put(attributes, place, text);
        expect(readFirstTokenMs(createReader(attributes), { dialect, layout }, startedAtNs)).toBe(250);
      }
    }
    expect(readFirstTokenMs(createReader({}), { dialect, layout }, startedAtNs)).toBeNull();
  });
});

const metrics = dialects.flatMap((dialect) =>
  (dialect.metrics ?? []).map((layout) => ({ name: dialect.id, dialect, layout })),
);

describe.each(metrics)("metrics of dialect $name", ({ dialect, layout }) => {
  it("are recognised by their names", () => {
    for (const name of [layout.tokens.name, ...(layout.costUsd ?? [])]) {
      const point: Pick<MetricPoint, "name" | "scopeName"> = { name, scopeName: layout.scopes?.[0] ?? "" };
      expect(recogniseMetric(point)).toEqual({ dialect, layout });
    }
  });

  it("tell input from output, and each kind of token under one name for each field", () => {
    const fields = Object.values(layout.tokens.counts);
    expect(fields).toEqual(expect.arrayContaining(["input", "output"]));
  });
});

it("a model span is none of an agent, and the other way round", () => {
  for (const { modelSpan, agentSpan } of dialects.flatMap(({ spans = [] }) => spans)) {
    for (const value of modelSpan?.values ?? []) {
      const attributes = { [modelSpan?.attribute ?? ""]: value };
      expect([isModelSpan(attributes), isAgentSpan(attributes)]).toEqual([true, false]);
    }
    for (const value of agentSpan?.values ?? []) {
      const attributes = { [agentSpan?.attribute ?? ""]: value };
      expect([isModelSpan(attributes), isAgentSpan(attributes)]).toEqual([false, true]);
    }
  }
});
