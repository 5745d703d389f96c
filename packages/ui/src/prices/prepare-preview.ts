/** What calls are booked with beside what they would cost: rows, and their sum. */
import type { CostPreviewRow } from "@centspan/model";
import { addDecimals, compareDecimals } from "../format/decimal-text.ts";
import { columnDecimals, formatDifference, formatMoney } from "../format/format-money.ts";
import { formatCount, formatGrowth } from "../format/format-quantity.ts";

export type PreviewRow = {
  group: string;
  calls: string;
  /** Null where no call has a price: that is not zero. */
  booked: string | null;
  previewed: string | null;
  difference: string;
  growth: string | null;
  unpricedBefore: number;
  unpricedAfter: number;
};

/** Dearest first. */
export function preparePreview(rows: readonly CostPreviewRow[]): { rows: PreviewRow[]; total: PreviewRow } {
  const total = addPreviews(rows);
  const decimals = columnDecimals([total.bookedUsd, total.previewedUsd]);
  const toRow = (row: CostPreviewRow): PreviewRow => ({
    group: row.group,
    calls: formatCount(row.calls),
    booked: row.unpricedBefore === row.calls ? null : formatMoney(row.bookedUsd, decimals),
    previewed: row.unpricedAfter === row.calls ? null : formatMoney(row.previewedUsd, decimals),
    difference: formatDifference(row.differenceUsd, decimals),
    growth: formatGrowth(row.differenceUsd, row.bookedUsd),
    unpricedBefore: row.unpricedBefore,
    unpricedAfter: row.unpricedAfter,
  });
  return {
    rows: [...rows].sort((a, b) => compareDecimals(b.bookedUsd, a.bookedUsd)).map(toRow),
    total: toRow(total),
  };
}

function addPreviews(rows: readonly CostPreviewRow[]): CostPreviewRow {
  const count = (pick: (row: CostPreviewRow) => number): number => rows.reduce((sum, row) => sum + pick(row), 0);
  return {
    group: "",
    calls: count(({ calls }) => calls),
    bookedUsd: addDecimals(rows.map(({ bookedUsd }) => bookedUsd)),
    previewedUsd: addDecimals(rows.map(({ previewedUsd }) => previewedUsd)),
    differenceUsd: addDecimals(rows.map(({ differenceUsd }) => differenceUsd)),
    unpricedBefore: count(({ unpricedBefore }) => unpricedBefore),
    unpricedAfter: count(({ unpricedAfter }) => unpricedAfter),
  };
}
