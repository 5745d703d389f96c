import { randomBytes } from "node:crypto";
import { parseDecimal } from "@centspan/base";
import { openControl } from "@centspan/control";
import { EMPTY_BUCKETS } from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { expect, inject, it, onTestFinished } from "vitest";
import { makeCall } from "./testing/use-api.ts";

const DAY_NS = 86_400_000_000_000n;
const NOON_NS = 1_790_856_000_000_000_000n;

it("a call that two processes tell on two days, at once and again, is billed once", async () => {
  const url = new URL(`/api_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href;
  const workspace = `writers-${randomBytes(4).toString("hex")}`;
  const control = openControl({ url: inject("databaseUrl") });
  const [one, other] = [openWarehouse({ url, books: control }), openWarehouse({ url, books: control })];
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()]);
    await control.close();
  });
  await Promise.all([one.migrate(), control.migrate()]);
  await control.ensureWorkspace("o", { id: workspace, name: workspace });
  const unitPriceUsd = parseDecimal("1");
  const line = { meter: "input" as const, quantity: 1, unitPriceUsd, listUnitPriceUsd: null, costUsd: unitPriceUsd };
  const calls = (atNs: bigint) =>
    Array.from({ length: 20 }, (_, n) =>
      makeCall({
        callId: `call_${n}`,
        atNs,
        buckets: { ...EMPTY_BUCKETS, input: 1 },
        costStatus: "rated",
        costUsd: unitPriceUsd,
        lines: [{ ...line, priceEntryId: "p", ratingRunId: "r" }],
      }),
    );
  for (const _round of [1, 2, 3])
    await Promise.all([
      one.insertCalls(workspace, calls(NOON_NS)),
      other.insertCalls(workspace, calls(NOON_NS - 7n * DAY_NS)),
    ]);
  const [sum] = await one.sumCosts(workspace, { groupBy: "provider", filter: {}, timeZone: "UTC" });
  expect([sum?.calls, `${sum?.costUsd}`]).toEqual([20, "20"]);
  const [team] = await one.sumTeams(workspace, { fromNs: 0n, toNs: NOON_NS * 2n });
  expect(`${team?.exactUsd}`).toBe("20");
});
