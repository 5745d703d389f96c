import { SIGNALS } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { writeExportResponse, writeRetryStatus, writeStatus } from "./answers.ts";
import { decodeOtlp, otlpType } from "./testing/otlp-schema.ts";

const RESPONSES = { traces: "Trace", logs: "Logs", metrics: "Metrics" } as const;
const REJECTED = { traces: "rejectedSpans", logs: "rejectedLogRecords", metrics: "rejectedDataPoints" } as const;

describe.each(SIGNALS)("the answer to an export of %s", (signal) => {
  it("is empty when everything was taken", () => {
    expect(writeExportResponse(signal, "protobuf", 0, "")).toHaveLength(0);
    expect(writeExportResponse(signal, "json", 0, "").toString()).toBe("{}");
  });

  it("says how many were refused, and why, in both encodings", () => {
    const partialSuccess = { [REJECTED[signal]]: "300", errorMessage: 'spans[0].name: "é" …' };
    const protobuf = writeExportResponse(signal, "protobuf", 300, partialSuccess.errorMessage);
    expect(decodeOtlp(otlpType(`Export${RESPONSES[signal]}ServiceResponse`), protobuf)).toEqual({ partialSuccess });
    const json = writeExportResponse(signal, "json", 300, partialSuccess.errorMessage);
    expect(JSON.parse(json.toString())).toEqual({ partialSuccess });
  });
});

describe("google.rpc.Status", () => {
  const status = { code: 14, message: "the store is away: ü" };

  it("in both encodings", () => {
    expect(JSON.parse(writeStatus("json", status).toString())).toEqual(status);
    expect(decodeOtlp(otlpType("Status"), writeStatus("protobuf", status))).toEqual({ ...status, details: [] });
  });

  it.each([
    [2, { seconds: "2", nanos: 0 }],
    [1.25, { seconds: "1", nanos: 250_000_000 }],
  ])("with the delay of a retry: %d s", (retryAfterS, retryDelay) => {
    const { details, ...rest } = decodeOtlp(otlpType("Status"), writeRetryStatus(status, retryAfterS));
    expect(rest).toEqual(status);
    const [detail] = Array.isArray(details) ? details : [];
    expect(detail.typeUrl).toBe("type.googleapis.com/google.rpc.RetryInfo");
    expect(decodeOtlp(otlpType("RetryInfo"), Buffer.from(detail.value, "base64"))).toEqual({ retryDelay });
  });
});
