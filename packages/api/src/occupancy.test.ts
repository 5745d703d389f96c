/** From what an engine's spans say of its time to what its GPUs cost whom, and how long they were idle, on real stores. */
import {
  type Commitment,
  type ContractPrice,
  EMPTY_BUCKETS,
  findBillingPeriod,
  type SpanRecord,
} from "@centspan/model";
import { rateCall, rateCards } from "@centspan/pricing";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = `occupancy-${process.pid}`;
const OCTOBER = findBillingPeriod("UTC", "2026-10");
const range = { from: "2026-10-01", to: "2026-11-01" };
const { warehouse, control, client } = useApi(WORKSPACE, { nowNs: () => OCTOBER.toNs });

/** Of a second, in which 900 tokens were prefilled and 100 requests got one more. */
const step = (number: number, replica: string, attributes: Record<string, string> = {}): SpanRecord => ({
  traceId: "1".repeat(32),
  spanId: String(number).padStart(16, "0"),
  parentSpanId: "",
  name: "inference.decode.step",
  kind: "internal",
  service: "llama",
  startedAtNs: OCTOBER.fromNs + BigInt(number) * 1_000_000_000n,
  endedAtNs: OCTOBER.fromNs + BigInt(number + 1) * 1_000_000_000n,
  status: "ok",
  statusMessage: "",
  attributes: {
    "centspan.replica.id": replica,
    "centspan.step.prefill_tokens": "900",
    "centspan.step.batch_size": "100",
    ...attributes,
  },
  resourceAttributes: { "service.name": "llama" },
  scopeName: "",
  trusted: false,
  events: [],
  links: [],
});

beforeAll(async () => {
  await control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE });
  await warehouse.insertSpans(WORKSPACE, [step(1, "a"), step(2, "a"), step(3, "b"), step(4, "b")]);
});

it("is measured, agreed on, rated, and paid for with what was idle as a line of its own", async () => {
  const { data } = await client.occupancy(range);
  expect(data).toEqual([
    {
      service: "llama",
      basis: "measured",
      replicas: 2,
      busySeconds: "4",
      prefillTokens: 3600,
      decodeTokens: 400,
      // A thousandth of a second each, of one replica of two.
      secondsPerMillion: {
        input: "500",
        cache_read: "0",
        cache_write_5m: "500",
        cache_write_1h: "500",
        output_text: "500",
      },
    },
  ]);
  const [measured] = data;
  if (measured === undefined) throw new Error("nothing measured");
  const contract: ContractPrice = {
    id: "llama",
    scope: "org",
    scopeId: "",
    provider: "vllm",
    model: "llama-4*",
    from: "2026-10-01",
    terms: {
      kind: "gpu_hours",
      perGpuHour: "3.6",
      gpus: 4,
      basis: measured.basis,
      secondsPerMillion: measured.secondsPerMillion,
    },
    source: "invoice of the cloud",
  };
  const gpus: Commitment = {
    kind: "gpus",
    id: "h100",
    gpus: 4,
    perGpuHour: "3.6",
    basis: "measured",
    provider: "vllm",
    model: "llama-4*",
    scope: "org",
    scopeIds: [],
    from: "2026-10-01",
    to: "2026-10-02",
    source: "invoice of the cloud",
  };
  await expect(client.addCommitments([gpus])).rejects.toMatchObject({ field: "commitments.h100.provider" });
  await client.addPriceTerms({ contracts: [contract], exchangeRates: [] });
  await client.addCommitments([gpus]);
  const book = { cards: rateCards, ...(await client.priceTerms()) };
  const call = (callId: string, team: string, input: number) =>
    rateCall(
      {
        ...makeCall({ callId, atNs: OCTOBER.fromNs, team }),
        provider: "vllm",
        model: "llama-4-70b",
        buckets: { ...EMPTY_BUCKETS, input },
      },
      book,
      "run",
    );
  await warehouse.insertCalls(WORKSPACE, [call("a", "search", 2_000_000), call("b", "data", 1_000_000)]);
  const { commitments, exactUsd } = await client.period("2026-10");
  const shares = commitments.map(({ team, status, costUsd, provenance }) => [team, status, costUsd, provenance]);
  // 500 seconds of four GPUs a million, at a tenth of a cent a second each.
  expect(shares).toEqual([
    ["", "unused", "339.6", "allocated"],
    ["data", "used", "2", "allocated"],
    ["search", "used", "4", "allocated"],
  ]);
  expect(exactUsd).toBe("345.6");
});

it("says where it is simulated, and needs a time that has a length", async () => {
  await warehouse.insertSpans(WORKSPACE, [
    step(9, "a", { "centspan.provenance": "simulated", "centspan.step.time_ms": "20" }),
  ]);
  const { data } = await client.occupancy(range);
  expect(data.map(({ basis, busySeconds }) => [basis, busySeconds])).toEqual([
    ["measured", "4"],
    ["simulated", "0.02"],
  ]);
  await expect(client.occupancy({ from: range.to, to: range.from })).rejects.toMatchObject({ field: "to" });
});
