import type { ReconciliationRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareReconciliation } from "./prepare-reconciliation.ts";

type Difference = ReconciliationRow["differences"][number];
const difference = (cause: string, amount: string, given: Partial<Difference> = {}): Difference => ({
  ...{ cause, provider: "openai", project: "", key: "ci", model: "m", meter: "input", days: ["2026-10-03"] },
  ...{ invoiced: amount, rated: "0", difference: amount, evidence: "", rows: ["2"] },
  ...given,
});
const row = (given: Partial<ReconciliationRow>): ReconciliationRow => ({
  ...{ file: "invoice.csv", format: "focus", unit: "usd", from: "2026-10-01", to: "2026-10-31" },
  ...{ compared: ["key"], strange: [], invoiced: "1049.49", rated: "1000", difference: "49.49", unexplained: "0" },
  ...{ matched: 1200, differences: [] },
  ...given,
});

describe("a reconciliation", () => {
  it("says what was invoiced, what is rated, and that nothing is left unexplained", () => {
    expect(prepareReconciliation(row({ differences: [difference("missing_key", "49.49")] }), "en")).toMatchObject({
      ...{ invoiced: "$1,049.49", rated: "$1,000.00", difference: "+$49.49", share: "4.9%", unexplained: "$0.00" },
      ...{ isExplained: true, matched: "1,200", period: "1 Oct – 31 Oct 2026" },
    });
  });

  it("does not call explained what only adds up to nothing", () => {
    const differences = [difference("unexplained", "5"), difference("unexplained", "-5")];
    expect(prepareReconciliation(row({ differences }), "en").isExplained).toBe(false);
  });

  it("leads from rated to invoiced, cause by cause, each bar from where the last ended", () => {
    const differences = [
      difference("missing_key", "30"),
      difference("time_zone", "10"),
      difference("missing_key", "40"),
      difference("provider_credit", "-60"),
    ];
    const causes = prepareReconciliation(row({ differences }), "en").causes;
    expect(
      causes.map(({ cause, difference: amount, leftPct, widthPct }) => [cause, amount, leftPct, widthPct]),
    ).toEqual([
      ["missing_key", "+$70.00", 0, 87.5],
      ["time_zone", "+$10.00", 87.5, 12.5],
      ["provider_credit", "−$60.00", 25, 75],
    ]);
  });

  it("tells days by the first and the last, and where something stands in the file by the first few", () => {
    const given = { days: ["2026-10-03", "2026-10-04", "2026-11-02"], rows: ["2", "3", "4", "5"] };
    const [shown] = prepareReconciliation(row({ differences: [difference("price", "1", given)] }), "en").differences;
    expect(shown).toMatchObject({ days: "3 Oct – 2 Nov 2026", rows: "2, 3, 4 …" });
  });

  it("counts where the file has no costs", () => {
    const counted = row({ unit: "units", invoiced: "12000", rated: "11000", difference: "1000", unexplained: "5" });
    expect(prepareReconciliation(counted, "en")).toMatchObject({
      ...{ invoiced: "12,000", rated: "11,000", difference: "+1,000", unexplained: "5" },
    });
  });
});
