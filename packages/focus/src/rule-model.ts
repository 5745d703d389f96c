/**
 * A FOCUS rule model as its JSON says it: rules that refer to each other, checks over columns, conditions. Read at run
 * time from wherever its owner keeps it; an unknown check function is an error, never a rule that passes.
 */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { type Check, checkSchema } from "./check-schema.ts";
import { ERRATA_1_2 } from "./errata-1-2.ts";

/** Nothing, or a check. Of the model for 1.2 two conditions lack the function's name, and two name their column otherwise. */
const optionalCheck = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (Object.keys(value).length === 0) return null;
  if ("AND" in value) return { CheckFunction: "AND", Items: [value.AND].flat() };
  return "CheckCondition" in value ? { ...value, ColumnName: value.CheckCondition } : value;
}, checkSchema.nullable());

const KEYWORDS = ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED", "MAY"] as const;

const ruleSchema = z.object({
  Reference: z.string(),
  EntityType: z.string(),
  ApplicabilityCriteria: z.array(z.string()).default([]),
  /** Only static rules can be told from the data. */
  Type: z.enum(["Static", "Dynamic"]),
  ValidationCriteria: z.object({
    MustSatisfy: z.string(),
    Keyword: z.enum(KEYWORDS),
    Requirement: optionalCheck,
    Condition: optionalCheck,
  }),
});
export type Rule = z.infer<typeof ruleSchema>;

const modelSchema = z.object({
  Details: z.object({ FOCUSVersion: z.string() }),
  ModelDatasets: z.object({ CostAndUsage: z.object({ ModelRules: z.array(z.string()).min(1) }) }),
  ModelRules: z.record(z.string(), ruleSchema),
});
export type RuleModel = z.infer<typeof modelSchema>;

/** The text of a model, by the name of its file for errors. */
export function readRuleModel(name: string, text: string): RuleModel {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CentspanError("invalid_file", `${name}: is not JSON`, { cause });
  }
  const parsed = modelSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join(".") ?? "";
    throw new CentspanError("invalid_file", `${name}: ${field}: ${issue?.message}; is it a FOCUS rule model?`, {
      field,
    });
  }
  for (const [id, rule] of Object.entries(parsed.data.ModelRules)) {
    const missing = listReferences(rule).find((reference) => parsed.data.ModelRules[reference] === undefined);
    if (missing !== undefined) {
      throw new CentspanError("invalid_file", `${name}: ModelRules.${id}: there is no rule ${missing}`, { field: id });
    }
  }
  if (parsed.data.Details.FOCUSVersion === "1.2") {
    for (const [id, erratum] of Object.entries(ERRATA_1_2)) {
      const rule = parsed.data.ModelRules[id];
      if (rule !== undefined) Object.assign(rule.ValidationCriteria, erratum);
    }
  }
  return parsed.data;
}

const listReferences = ({ ValidationCriteria: { Requirement, Condition } }: Rule): string[] =>
  [Requirement, Condition].flatMap((check) => (check === null ? [] : referencesOf(check)));

function referencesOf(check: Check): string[] {
  if (check.CheckFunction === "CheckModelRule") return [check.ModelRuleId];
  return "Items" in check ? check.Items.flatMap(referencesOf) : [];
}
