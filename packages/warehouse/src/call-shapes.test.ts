import { formatDecimal } from "@centspan/base";
import { EMPTY_BUCKETS } from "@centspan/model";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeLine, NOON_NS } from "./testing/records.ts";

const test = useWarehouse();
const RANGE = { fromNs: NOON_NS, toNs: NOON_NS + HOUR_NS };

it("puts calls together that are alike, and says how long their answers are and how far some go beyond", async () => {
  const lines = [makeLine({ meter: "output_text", quantity: 10 })];
  const call = (id: string, outputText: number, given = {}) =>
    makeCall(id, {
      key: "ci",
      sessionId: `s${outputText % 3}`,
      buckets: { ...EMPTY_BUCKETS, input: 100, outputText },
      lines,
      ...given,
    });
  const usual = Array.from({ length: 39 }, (_, at) => call(`usual ${at}`, 1 + (at % 10)));
  const calls = [
    ...usual,
    call("one", 1_000),
    call("another kind", 5, { taskType: "review" }),
    call("thoughtful", 6, { effort: "high" }),
    call("many in one", 900, { requests: 30 }),
    call("too late", 7, { atNs: RANGE.toNs }),
  ];
  await test.warehouse.insertCalls("shapes", [...calls, ...calls]);
  const [dearest, thoughtful, other, ...rest] = await test.warehouse.listCallShapes("shapes", RANGE);
  expect(rest).toEqual([]);
  expect(dearest).toMatchObject({
    key: "ci",
    taskType: "",
    effort: "",
    calls: 40,
    sessions: 3,
    usualOutput: 10,
    outputBeyond: 960,
  });
  expect(dearest?.buckets).toMatchObject({
    input: 4_000,
    outputText: usual.reduce((sum, { buckets }) => sum + buckets.outputText, 1_000),
  });
  expect(thoughtful).toMatchObject({ taskType: "", effort: "high", calls: 1, usualOutput: 6 });
  expect(other).toMatchObject({ taskType: "review", calls: 1, usualOutput: 5, outputBeyond: 0 });
  expect(formatDecimal(dearest?.costUsd ?? lines[0]?.costUsd ?? expect.fail("no cost"))).toMatch(/^\d+(\.\d+)?$/);
});
