/** What a rule can ask of columns, as rule models say it; an unknown check function is no check. */
import { z } from "zod";

const column = { ColumnName: z.string() };
const twoColumns = { ColumnAName: z.string(), ColumnBName: z.string() };
const scalar = z.union([z.string(), z.number(), z.null()]);

const columnChecks = [
  "ColumnPresent",
  "FormatKeyValue",
  "CheckDecimalValue",
  "CheckNationalCurrency",
  "TypeDecimal",
  "TypeString",
  "TypeDateTime",
  "FormatDateTime",
  "FormatNumeric",
  "FormatString",
  "FormatUnit",
  "FormatCurrency",
] as const;

export const checkSchema = z.discriminatedUnion("CheckFunction", [
  z.object({ CheckFunction: z.enum(columnChecks), ...column }),
  z.object({ CheckFunction: z.enum(["CheckValue", "CheckNotValue"]), ...column, Value: scalar }),
  z.object({ CheckFunction: z.literal("CheckGreaterOrEqualThanValue"), ...column, Value: z.number() }),
  z.object({ CheckFunction: z.enum(["CheckSameValue", "CheckNotSameValue"]), ...twoColumns }),
  z.object({ CheckFunction: z.literal("CheckDistinctCount"), ...twoColumns, ExpectedCount: z.int() }),
  z.object({
    CheckFunction: z.literal("ColumnByColumnEqualsColumnValue"),
    ...twoColumns,
    ResultColumnName: z.string(),
  }),
  z.object({ CheckFunction: z.literal("CheckModelRule"), ModelRuleId: z.string() }),
  z.object({
    CheckFunction: z.enum(["AND", "OR"]),
    get Items() {
      return z.array(checkSchema);
    },
  }),
]);
export type Check = z.infer<typeof checkSchema>;
