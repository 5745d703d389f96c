/**
 * What an effect is worth in a month of traffic like this. Saved time on accelerators is capacity: it is cash only once
 * fewer of them are paid for. Exact: decimals in, decimals out.
 */
import { countToDecimal, type Decimal, formatDecimal, ZERO } from "@centspan/base";
import { costOfTime } from "@centspan/serving";
import type { Verdict } from "./judge.ts";

export type Worth = {
  /** Accelerator seconds of the present settings in a month, and their price. */
  gpuSMonth: number;
  savedGpuSMonth: number;
  capacityUsdMonth: string;
  cashUsdMonth: string;
  /** Accelerators that could go, in part. */
  freedAccelerators: number;
  /** The same per passing outcome, where the window's are known. */
  usdPerPassingOutcome: { before: string; after: string } | null;
};

const MONTH_S = 30 * 24 * 3_600;

export type WorthOptions = {
  gpuHourUsd: Decimal;
  /** Seconds that the judged window lasted. */
  windowS: number;
  passingOutcomes?: number;
};

/** Null where nothing was judged. */
export function valueVerdict({ judged, before, after }: Verdict, options: WorthOptions): Worth | null {
  if (judged === null || before === null || after === null || options.windowS <= 0) return null;
  const { gpuHourUsd, windowS, passingOutcomes } = options;
  const perMonth = MONTH_S / windowS;
  const gpuSMonth = before.usedGpuS * perMonth;
  const savedGpuSMonth = -judged.share * gpuSMonth;
  const released = before.accelerators - after.accelerators;
  return {
    gpuSMonth,
    savedGpuSMonth,
    capacityUsdMonth: priceOf(savedGpuSMonth, gpuHourUsd),
    cashUsdMonth: priceOf(released * MONTH_S, gpuHourUsd),
    freedAccelerators: savedGpuSMonth / MONTH_S,
    usdPerPassingOutcome:
      passingOutcomes === undefined || passingOutcomes === 0
        ? null
        : {
            before: perOutcome(before.paidGpuS, gpuHourUsd, passingOutcomes),
            after: perOutcome(after.paidGpuS, gpuHourUsd, passingOutcomes),
          },
  };
}

/** Whole nanoseconds, so that the amount is exact; what is lost is shown with its sign. */
function priceOf(seconds: number, hourUsd: Decimal): string {
  const ns = Math.round(Math.abs(seconds) * 1e9);
  const usd = costOfTime({ hourUsd, accelerators: 1, durationNs: ns }).round(12, 2);
  return formatDecimal(seconds < 0 ? ZERO.minus(usd) : usd);
}

const perOutcome = (gpuS: number, hourUsd: Decimal, outcomes: number): string =>
  formatDecimal(
    costOfTime({ hourUsd, accelerators: 1, durationNs: Math.round(gpuS * 1e9) })
      .div(countToDecimal(outcomes))
      .round(12, 2),
  );
