import { formatDecimal } from "@centspan/base";
import { type EngineTime, gpuHoursSchema } from "@centspan/model";
import { expect, it } from "vitest";
import { busySeconds, measureOccupancy } from "./measure-occupancy.ts";

const time: EngineTime = {
  service: "engine",
  basis: "measured",
  replicas: 2,
  prefillNs: 72_000_000_000n,
  decodeNs: 1_800_000_000_001n,
  prefillTokens: 1_000_000,
  decodeTokens: 3_000_000,
};

it("tells what a million tokens occupy all replicas for, as a contract takes it", () => {
  const rates = { input: "36", cache_read: "0", cache_write_5m: "36", cache_write_1h: "36", output_text: "300" };
  expect(measureOccupancy(time)).toEqual(rates);
  expect(formatDecimal(busySeconds(time))).toBe("1872.000000001");
  const terms = { kind: "gpu_hours", perGpuHour: "2.50", gpus: 8, basis: time.basis, secondsPerMillion: rates };
  expect(gpuHoursSchema.parse(terms)).toEqual(terms);
});

it("has no rate for what there was none of", () => {
  expect(Object.keys(measureOccupancy({ ...time, prefillTokens: 0 }))).toEqual(["output_text"]);
  expect(measureOccupancy({ ...time, prefillTokens: 0, decodeTokens: 0 })).toEqual({});
});
