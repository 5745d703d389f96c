import { BadBody } from "@centspan/ingest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroupCommit } from "./group-commit.ts";
import { createJsonReader } from "./json-reader.ts";
import { createStats } from "./stats.ts";
import { createTakeExport } from "./take-export.ts";
import { createTrace, openTestCollector, type TestCollector, waitForSpans } from "./testing/open-test-collector.ts";

const LARGE = "x".repeat(3 * 1024 * 1024);
const origin = { workspace: "w", isTrusted: false };

describe("a large body in JSON", () => {
  it("keeps nobody waiting: what comes after it is answered before it", async () => {
    const reader = createJsonReader();
    const takeExport = createTakeExport(
      createGroupCommit(async () => {}),
      reader,
      createStats(),
    );
    const answered: string[] = [];
    const take = (name: string, padding: string): Promise<unknown> =>
      takeExport({
        signal: "traces",
        encoding: "json",
        origin,
        body: [Buffer.from(createTrace(["a1".repeat(8)], padding).json)],
      }).then(() => answered.push(name));
    await Promise.all([take("large", LARGE), take("larger", LARGE + LARGE), take("small", "")]);
    expect(answered[0]).toBe("small");
    expect(answered.sort()).toEqual(["large", "larger", "small"]);
    await reader.close();
  });

  it("becomes what a small one becomes, and is refused as one", async () => {
    const reader = createJsonReader();
    const pieces = (text: string): Buffer[] => [Buffer.from(text.slice(0, 1_000)), Buffer.from(text.slice(1_000))];
    const { json, protobuf } = createTrace(["a1".repeat(8)], LARGE);
    const { body, ...admission } = await reader.read("traces", pieces(json));
    expect(Buffer.compare(body, protobuf)).toBe(0);
    expect(admission).toEqual({ accepted: 0, rejected: 0, rejectedBy: {}, reasons: [] });
    const bad = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: LARGE, traceId: 5 }] }] }] });
    const { body: _apart, ...refused } = await reader.read("traces", pieces(bad));
    const { body: _atOnce, ...expected } = await reader.read("traces", pieces(bad.replace(LARGE, "")));
    expect(refused).toEqual(expected);
    expect(refused.rejected).toBe(1);
    for (const wrong of ["{", '{"resourceLogs": []}']) {
      const small = await reader.read("traces", [Buffer.from(wrong)]).catch((thrown: unknown) => thrown);
      const large = await reader
        .read("traces", pieces(wrong + " ".repeat(LARGE.length)))
        .catch((thrown: unknown) => thrown);
      expect(small).toBeInstanceOf(BadBody);
      const { message, path } = small instanceof BadBody ? small : new BadBody("", "");
      expect(large).toMatchObject({ code: "invalid_request", message, field: path || "body" });
    }
    await reader.close();
  });

  it("is given up when the collector closes, and those that wait are to be sent again", async () => {
    const reader = createJsonReader();
    const body = [Buffer.from(`{}${" ".repeat(LARGE.length)}`)];
    const outcomes = Promise.allSettled([body, body, body].map((one) => reader.read("traces", one)));
    await reader.close();
    const closed = { status: "rejected", reason: { code: "store_unavailable", retryAfterS: 1 } };
    // The first may have been read by then.
    expect((await outcomes).slice(1)).toMatchObject([closed, closed]);
    await expect(reader.read("traces", body)).rejects.toMatchObject(closed.reason);
  });
});

describe("over HTTP", () => {
  let collector: TestCollector;
  beforeAll(async () => {
    collector = await openTestCollector({ maxBodyBytes: 16 * 1024 * 1024 });
  });
  afterAll(() => collector.dispose());
  const post = (body: string): Promise<Response> =>
    fetch(`${collector.url}/v1/traces`, { method: "POST", body, headers: { "content-type": "application/json" } });

  it("large bodies are stored, each of several at once, and broken ones are refused", async () => {
    const sent = ["a", "b", "c"].map((letter) =>
      createTrace(["a1".repeat(8), "b2".repeat(8)], letter.repeat(1_000_000)),
    );
    const responses = await Promise.all([...sent.map(({ json }) => post(json)), post(`{"${LARGE}`)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    expect(await responses[3]?.json()).toEqual({ code: 3, message: "body: is not valid JSON" });
    for (const { traceId } of sent) await waitForSpans(collector, traceId, 2);
  });
});
