import { countToDecimal, type Decimal, formatDecimal, parseDecimal } from "@centspan/base";
import type { EngineTime, GpuHours } from "@centspan/model";

const MILLION_PER_NS = parseDecimal("0.001");

/**
 * For how many seconds a million tokens of each kind occupy all replicas: the terms of a contract by the GPU-hour. Cached
 * tokens take no step's time, and writing to the cache is ordinary prefill. A kind of which there was none has no rate.
 */
export function measureOccupancy(time: EngineTime): GpuHours["secondsPerMillion"] {
  const perMillion = (ns: bigint, tokens: number): string =>
    formatDecimal(
      countToDecimal(ns)
        .times(MILLION_PER_NS)
        .div(countToDecimal(tokens * time.replicas))
        .round(6, 2),
    );
  const rates: GpuHours["secondsPerMillion"] = {};
  if (time.prefillTokens > 0) {
    const input = perMillion(time.prefillNs, time.prefillTokens);
    Object.assign(rates, { input, cache_read: "0", cache_write_5m: input, cache_write_1h: input });
  }
  if (time.decodeTokens > 0) rates.output_text = perMillion(time.decodeNs, time.decodeTokens);
  return rates;
}

const SECOND_NS = parseDecimal("1000000000");
export const busySeconds = ({ prefillNs, decodeNs }: EngineTime): Decimal =>
  countToDecimal(prefillNs + decodeNs).div(SECOND_NS);
