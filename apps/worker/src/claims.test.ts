import { parseDecimal } from "@centspan/base";
import { type Call, EMPTY_BUCKETS, EMPTY_CALL } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { createClaims } from "./claims.ts";

const call = (facts: Partial<Call>): Call => ({
  ...EMPTY_CALL,
  callId: `call ${facts.responseId}`,
  provider: "p",
  model: "m",
  responseId: "r",
  dialect: "semconv",
  ...facts,
});

const client = call({ responseId: "r", traceId: "a", sessionId: "s1" });
const gateway = call({ responseId: "r", traceId: "b", source: "gateway", key: "ci" });
const seen = (traceId: string, responseId: string) => call({ traceId, responseId });
const both = { source: "gateway", traceId: "b", sessionId: "s1", key: "ci" };

describe("claims on one response from two traces", () => {
  it("give the gateway's call with the client's session, in either order", () => {
    const forward = createClaims(10);
    expect(forward.settle("w", [client], [])).toMatchObject([{ source: "client" }]);
    expect(forward.settle("w", [gateway], [])).toMatchObject([both]);
    const backward = createClaims(10);
    expect(backward.settle("w", [gateway], [])).toMatchObject([{ source: "gateway", sessionId: "" }]);
    expect(backward.settle("w", [client], [])).toMatchObject([both]);
  });

  it("are asked of the store where this process has heard of none", () => {
    const claims = createClaims(10);
    expect(claims.listUnheard("w", [client, call({ responseId: "" })])).toEqual([client.callId]);
    expect(claims.settle("w", [client], [gateway])).toMatchObject([both]);
    expect(claims.listUnheard("w", [client])).toEqual([]);
    expect(claims.listUnheard("v", [client])).toEqual([client.callId]);
  });

  it("of the same trace are replaced by what it says now, stored ones too", () => {
    const claims = createClaims(10);
    expect(claims.settle("w", [gateway], [{ ...gateway, key: "old" }])).toMatchObject([{ key: "ci" }]);
  });

  it("that only the store remembers still tell whose spend it is, and nothing more", () => {
    const stored = { ...gateway, sessionId: "s1", buckets: { ...EMPTY_BUCKETS, input: 9 } };
    const [settled] = createClaims(10).settle("w", [gateway], [stored]);
    expect(settled).toMatchObject({ ...both, buckets: EMPTY_BUCKETS });
  });

  it("from two traces at once give one call", () => {
    expect(createClaims(10).settle("w", [client, gateway], [])).toMatchObject([both]);
  });

  it("of a record outside of traces are its session's", () => {
    const claims = createClaims(10);
    const record = (sessionId: string) =>
      call({ responseId: "r", traceId: "", sessionId, providedCostUsd: parseDecimal("0.5") });
    claims.settle("w", [record("s1")], []);
    expect(claims.settle("w", [gateway], [])).toMatchObject([{ ...both, providedCostUsd: parseDecimal("0.5") }]);
  });

  it("stay apart between workspaces", () => {
    const claims = createClaims(10);
    claims.settle("w", [gateway], []);
    expect(claims.settle("v", [client], [])).toMatchObject([{ source: "client" }]);
  });

  it("are forgotten beyond the capacity, oldest first", () => {
    const claims = createClaims(2);
    claims.settle("w", [gateway], []);
    claims.settle("w", [seen("c", "x")], []);
    claims.settle("w", [gateway], []);
    claims.settle("w", [seen("d", "y")], []);
    expect(claims.settle("w", [client], [])).toMatchObject([both]);
    claims.settle("w", [seen("e", "z"), seen("e", "zz")], []);
    expect(claims.settle("w", [client], [])).toMatchObject([{ source: "client" }]);
  });
});
