import { type Call, EMPTY_BUCKETS, EMPTY_IDENTITY } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { createClaims } from "./claims.ts";

const call = (facts: Partial<Call>): Call => ({
  ...EMPTY_IDENTITY,
  callId: `call ${facts.responseId}`,
  traceId: "",
  spanId: "",
  atNs: 0n,
  durationNs: 0n,
  provider: "p",
  model: "m",
  effort: "",
  serviceTier: "",
  responseId: "r",
  source: "client",
  dialect: "semconv",
  inputSemantics: "inclusive",
  requests: 1,
  buckets: EMPTY_BUCKETS,
  providedCostUsd: null,
  provenance: "measured",
  quarantineReason: "",
  ...facts,
});

const client = call({ responseId: "r", traceId: "a", sessionId: "s1" });
const gateway = call({ responseId: "r", traceId: "b", source: "gateway", key: "ci" });
const both = { source: "gateway", traceId: "b", sessionId: "s1", key: "ci" };

describe("claims on one response from two traces", () => {
  it("give the gateway's call with the client's session, in either order", () => {
    const forward = createClaims(10);
    expect(forward.settle("w", "a", [client], [])).toMatchObject([{ source: "client" }]);
    expect(forward.settle("w", "b", [gateway], [])).toMatchObject([both]);
    const backward = createClaims(10);
    expect(backward.settle("w", "b", [gateway], [])).toMatchObject([{ source: "gateway", sessionId: "" }]);
    expect(backward.settle("w", "a", [client], [])).toMatchObject([both]);
  });

  it("are asked of the store where this process has heard of none", () => {
    const claims = createClaims(10);
    expect(claims.listUnheard("w", [client, call({ responseId: "" })])).toEqual([client.callId]);
    expect(claims.settle("w", "a", [client], [gateway])).toMatchObject([both]);
    expect(claims.listUnheard("w", [client])).toEqual([]);
    expect(claims.listUnheard("v", [client])).toEqual([client.callId]);
  });

  it("of the same trace are replaced by what it says now, stored ones too", () => {
    const claims = createClaims(10);
    expect(claims.settle("w", "b", [gateway], [{ ...gateway, key: "old" }])).toMatchObject([{ key: "ci" }]);
  });

  it("stay apart between workspaces", () => {
    const claims = createClaims(10);
    claims.settle("w", "b", [gateway], []);
    expect(claims.settle("v", "a", [client], [])).toMatchObject([{ source: "client" }]);
  });

  it("are forgotten beyond the capacity, oldest first", () => {
    const claims = createClaims(2);
    claims.settle("w", "b", [gateway], []);
    claims.settle("w", "c", [call({ responseId: "x" })], []);
    claims.settle("w", "b", [gateway], []);
    claims.settle("w", "d", [call({ responseId: "y" })], []);
    expect(claims.settle("w", "a", [client], [])).toMatchObject([both]);
    claims.settle("w", "e", [call({ responseId: "z" }), call({ responseId: "zz" })], []);
    expect(claims.settle("w", "a", [client], [])).toMatchObject([{ source: "client" }]);
  });
});
