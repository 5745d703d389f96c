import { expect, it } from "vitest";
import { deriveCalls } from "./index.ts";
import { chat, span } from "./testing/records.ts";

const cut = (more: Record<string, string> = {}) =>
  span(1, {
    trusted: true,
    attributes: chat(1000, {
      "gen_ai.usage.cache_read.input_tokens": "800",
      "centspan.usage.partial": "true",
      "gen_ai.response.id": "msg_aaa111bbb",
      "centspan.key.id": "k1",
      ...more,
    }),
  });
const COUNTED = { "centspan.usage.counted_output_tokens": "300" };

it("usage of the beginning of an answer alone is not billed as the whole of it", () => {
  expect(deriveCalls({ spans: [cut()] })).toMatchObject([{ quarantineReason: "usage_partial", keyId: "k1" }]);
});

it("is an estimate where the gateway counted what came", () => {
  const [call] = deriveCalls({ spans: [cut(COUNTED)] });
  expect(call).toMatchObject({
    quarantineReason: "",
    provenance: "estimated",
    buckets: { input: 200, cacheRead: 800, outputText: 300 },
  });
});

it("is what an observer says who saw the end, with what the gateway knows of it", () => {
  const attributes = chat(1000, { "gen_ai.usage.output_tokens": "700", "gen_ai.response.id": "msg_aaa111bbb" });
  const client = span(2, { traceId: "d".repeat(32), attributes });
  for (const gateway of [cut(), cut(COUNTED)]) {
    expect(deriveCalls({ spans: [gateway, client] })).toMatchObject([
      { quarantineReason: "", provenance: "measured", keyId: "k1", buckets: { outputText: 700 } },
    ]);
  }
});

it("usage that nobody reported is an estimate where the gateway counted both sides, and else unknown", () => {
  const silent = (more: Record<string, string>) => {
    const attributes = { ...chat(0), "centspan.usage.missing": "true", ...more };
    for (const name of ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"])
      Reflect.deleteProperty(attributes, name);
    return deriveCalls({ spans: [span(1, { trusted: true, attributes })] });
  };
  expect(silent(COUNTED)).toMatchObject([{ quarantineReason: "usage_missing" }]);
  expect(silent({ ...COUNTED, "centspan.usage.counted_input_tokens": "many" })).toMatchObject([
    { quarantineReason: "usage_missing" },
  ]);
  expect(silent({ ...COUNTED, "centspan.usage.counted_input_tokens": "1000" })).toMatchObject([
    { quarantineReason: "", provenance: "estimated", buckets: { input: 1000, outputText: 300 } },
  ]);
});
