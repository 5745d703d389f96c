import { describe, expect, it } from "vitest";
import { BadBody } from "./admission.ts";
import { createBlockBuilder } from "./block-builder.ts";
import { REQUEST_TYPES } from "./testing/otlp-schema.ts";
import { readNative } from "./testing/read-native.ts";

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const request = (...metrics: object[]): Buffer => {
  const type = REQUEST_TYPES.metrics;
  return Buffer.from(type.encode(type.fromObject({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })).finish());
};

async function take(body: Buffer) {
  const builder = createBlockBuilder("metrics");
  const admission = builder.add("w", body);
  return { rows: await readNative(builder.take()), ...admission };
}

/** A field's tag, its length where it has one, and its bytes: for what no encoder writes. */
const field = (number: number, wire: number, ...content: Buffer[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.of(number * 8 + wire), wire === 2 ? Buffer.of(bytes.length) : Buffer.of(), bytes]);
};
const metric = (...fields: Buffer[]): Buffer => field(1, 2, field(2, 2, field(2, 2, ...fields)));
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const gauge = (value: number): Buffer => field(5, 2, field(1, 2, field(4, 1, double(value))));

describe("a data point", () => {
  it.each([
    [
      "an integer, exactly",
      { gauge: { dataPoints: [{ asInt: "9007199254740993" }] } },
      { value_int: 9007199254740993n, value_double: null },
    ],
    ["a double", { gauge: { dataPoints: [{ asDouble: 0.5 }] } }, { value_int: null, value_double: 0.5 }],
    ["a zero", { gauge: { dataPoints: [{ asInt: "0" }] } }, { value_int: 0n, value_double: null }],
    [
      "no value at all",
      { gauge: { dataPoints: [{}] } },
      { value_int: null, value_double: null, count: null, sum: null },
    ],
    [
      "a point without a recorded value",
      { sum: { dataPoints: [{ asInt: "5", flags: 1 }] } },
      { value_int: null, flags: 1 },
    ],
    [
      "a histogram without one",
      { histogram: { dataPoints: [{ count: "0", sum: 0, flags: 1 }] } },
      { count: null, sum: null },
    ],
    ["a histogram of nothing", { histogram: { dataPoints: [{}] } }, { count: 0n, sum: null, min: null, max: null }],
    ["a sum of 0 that is set", { histogram: { dataPoints: [{ sum: 0, min: 0 }] } }, { sum: 0, min: 0, max: null }],
    ["a summary of nothing", { summary: { dataPoints: [{}] } }, { count: 0n, sum: 0, min: null }],
    [
      "a summary's quantiles",
      {
        summary: {
          dataPoints: [
            {
              count: 2,
              sum: 3,
              quantileValues: [
                { quantile: 0.5, value: 1 },
                { quantile: 1, value: 2 },
              ],
            },
          ],
        },
      },
      { bounds: [0.5, 1], quantile_values: [1, 2], count: 2n, sum: 3 },
    ],
    [
      "counts of 64 bits",
      { histogram: { dataPoints: [{ count: "18446744073709551615", bucketCounts: ["18446744073709551615"] }] } },
      { count: 2n ** 64n - 1n, bucket_counts: [2n ** 64n - 1n] },
    ],
    [
      "buckets of an exponential histogram",
      {
        exponentialHistogram: {
          dataPoints: [
            {
              scale: -3,
              zeroCount: 4,
              positive: { offset: -7, bucketCounts: [1, "18446744073709551615"] },
              negative: { offset: 7 },
            },
          ],
        },
      },
      {
        scale: -3,
        zero_count: 4n,
        positive_offset: -7,
        positive_counts: [1n, 2n ** 64n - 1n],
        negative_offset: 7,
        negative_counts: [],
      },
    ],
    [
      "what a sum says of its points",
      { sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ asInt: 1 }] } },
      { type: "sum", temporality: "cumulative", monotonic: true },
    ],
    [
      "a temporality that is not defined",
      { sum: { aggregationTemporality: 9, dataPoints: [{}] } },
      { temporality: "unspecified" },
    ],
    [
      "the session among its attributes",
      { gauge: { dataPoints: [{ attributes: [attribute("session.id", "s")] }] } },
      { session_id: "s", attributes: { "session.id": "s" } },
    ],
    [
      "an exemplar without a value, as no number",
      { gauge: { dataPoints: [{ exemplars: [{ spanId: Buffer.alloc(8) }] }] } },
      { exemplars: [{ value: Number.NaN, span_id: "", trace_id: "", at: 0n, attributes: {} }] },
    ],
  ])("keeps %s", async (_what, one, expected) => {
    expect((await take(request(one))).rows).toMatchObject([expected]);
  });

  it.each([
    [
      "an exemplar's short id",
      { exemplars: [{ traceId: Buffer.of(1) }] },
      "invalid_id",
      "exemplars[0].traceId: must be 16 bytes",
    ],
    ["a time past 2262", { timeUnixNano: String(2n ** 63n) }, "invalid_time", "timeUnixNano: must be nanoseconds"],
    ["a start past 2262", { startTimeUnixNano: String(2n ** 63n) }, "invalid_time", "startTimeUnixNano: must be"],
  ])("with %s is refused alone", async (_what, bad, code, reason) => {
    const { rows, ...admission } = await take(request({ sum: { dataPoints: [{ asInt: 1 }, bad, { asInt: 2 }] } }));
    expect(rows.map((row) => row.value_int)).toEqual([1n, 2n]);
    expect(admission).toMatchObject({ accepted: 2, rejected: 1, reasons: [{ code }] });
    expect(admission.reasons[0]?.message).toContain(`scopeMetrics[0].metrics[0].sum.dataPoints[1].${reason}`);
  });
});

describe("a metric", () => {
  it("may say its name, temporality and monotony behind the points", async () => {
    const data = Buffer.concat([
      field(1, 2, field(4, 1, double(7))),
      field(2, 0, Buffer.of(1)),
      field(3, 0, Buffer.of(1)),
    ]);
    const { rows } = await take(metric(field(7, 2, data), field(1, 2, Buffer.from("late"))));
    expect(rows).toMatchObject([{ name: "late", temporality: "delta", monotonic: true, value_double: 7 }]);
  });

  it("keeps the points of all parts of its data", async () => {
    const { rows } = await take(metric(gauge(1), gauge(2)));
    expect(rows.map((row) => row.value_double)).toEqual([1, 2]);
  });

  it("with two kinds of data is of the last one, as of any oneof", async () => {
    const { rows } = await take(metric(field(7, 2, field(1, 2)), gauge(2)));
    expect(rows).toMatchObject([{ type: "gauge", value_double: 2 }]);
  });

  it("with lists of single numbers is read like one with packed lists", async () => {
    const point = Buffer.concat([
      field(6, 1, Buffer.alloc(8, 1)),
      field(7, 1, double(2)),
      field(6, 1, Buffer.alloc(8, 2)),
    ]);
    const { rows } = await take(metric(field(9, 2, field(1, 2, point))));
    expect(rows).toMatchObject([{ bounds: [2], bucket_counts: [0x0101010101010101n, 0x0202020202020202n] }]);
  });

  it("without data has no rows and refuses none", async () => {
    expect(await take(request({ name: "empty" }))).toMatchObject({ rows: [], accepted: 0, rejected: 0 });
  });

  const notText = Buffer.of(0xff);
  it.each([
    ["name", 1],
    ["description", 2],
    ["unit", 3],
  ])("whose %s is not UTF-8 refuses its points, told once", async (name, number) => {
    const body = Buffer.concat([metric(field(number, 2, notText), gauge(1), gauge(2)), metric(gauge(3))]);
    const { rows, rejected, rejectedBy, reasons } = await take(body);
    expect(rows.map((row) => row.value_double)).toEqual([3]);
    expect([rejected, rejectedBy]).toEqual([2, { invalid_text: 2 }]);
    const message = `resourceMetrics[0].scopeMetrics[0].metrics[0].${name}: must be UTF-8`;
    expect(reasons).toEqual([{ code: "invalid_text", message }]);
  });

  it("that can't be read and shows no points counts as one", async () => {
    expect(await take(metric(field(1, 2, notText)))).toMatchObject({ accepted: 0, rejected: 1 });
    expect(await take(metric(field(1, 1, Buffer.alloc(8))))).toMatchObject({
      rejectedBy: { malformed: 1 },
      reasons: [{ message: expect.stringContaining("metrics[0].name: has wire type 1, which is not its own") }],
    });
  });

  it("that breaks off is refused with the points it shows, and the metrics beside it are kept", async () => {
    const broken = field(5, 2, field(1, 2, field(4, 1, double(1))), Buffer.of(0x0a, 0x7f));
    const { rows, rejected, reasons } = await take(Buffer.concat([metric(broken), metric(gauge(2))]));
    expect(rows.map((row) => row.value_double)).toEqual([2]);
    expect(rejected).toBe(2);
    const message = "resourceMetrics[0].scopeMetrics[0].metrics[0]: protobuf ends in the middle of a value";
    expect(reasons).toEqual([{ code: "malformed", message }]);
  });

  it("longer than its scope refuses the body and leaves the block as it was", async () => {
    const builder = createBlockBuilder("metrics");
    builder.add("w", metric(gauge(1)));
    const body = metric(gauge(2));
    body.writeUInt8((body.at(5) ?? 0) + 1, 5);
    expect(() => builder.add("w", body)).toThrow(BadBody);
    expect(await readNative(builder.take())).toMatchObject([{ value_double: 1 }]);
  });
});
