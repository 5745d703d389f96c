/** The charge lines of one call as a person checks them: quantity × price per million = amount, and their sum. */
import type { CallRow, Meter } from "@centspan/model";
import { addDecimals } from "../format/decimal-text.ts";
import { formatMoney, formatPricePerMillion } from "../format/format-money.ts";
import { formatCount } from "../format/format-quantity.ts";

export type ChargeView = {
  lines: { meter: Meter; quantity: string; price: string; amount: string }[];
  total: string | null;
  priceEntries: string[];
  /** What the provider says it cost, where it says so. */
  provided: string | null;
};

const LINE_DECIMALS = 6;

export function prepareCharge(call: CallRow): ChargeView {
  const total = call.costUsd ?? (call.lines.length > 0 ? addDecimals(call.lines.map((line) => line.costUsd)) : null);
  return {
    lines: call.lines.map((line) => ({
      meter: line.meter,
      quantity: formatCount(line.quantity),
      price: formatPricePerMillion(line.unitPriceUsd),
      amount: formatMoney(line.costUsd, LINE_DECIMALS),
    })),
    total: total === null ? null : formatMoney(total, LINE_DECIMALS),
    priceEntries: [...new Set(call.lines.map((line) => line.priceEntryId))],
    provided: call.providedCostUsd === null ? null : formatMoney(call.providedCostUsd, LINE_DECIMALS),
  };
}
