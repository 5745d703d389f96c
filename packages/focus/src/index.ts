export { checkExport } from "./check-export.ts";
export type { CheckReport, Finding } from "./check-rows.ts";
export { FOCUS_VERSIONS, type FocusVersion, listColumns } from "./columns.ts";
export { describeCharge, describeRounding, type FocusContext, type FocusEntry } from "./describe-charge.ts";
export { describeCovered, describePurchase, describeUnused } from "./describe-commitment.ts";
export { type RuleModel, readRuleModel } from "./rule-model.ts";
export { describeSpec14 } from "./spec-1-4.ts";
export { writeCsv } from "./write-csv.ts";
export { writeParquet } from "./write-parquet.ts";
