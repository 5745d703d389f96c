/**
 * Rows against a rule model. Every rule is followed from the dataset's own down, row by row, with exact decimals; rules
 * that only a person can judge are counted, not passed. A MUST that fails is an error, a SHOULD a warning; what fails
 * below a SHOULD is no more than that, and nothing below an OR that one of its items satisfies.
 */
import { assert, parseDecimal } from "@centspan/base";
import type { Check } from "./check-schema.ts";
import type { Rule, RuleModel } from "./rule-model.ts";
import { isDateTime, isKeyValue, isNationalCurrency, isText, isUnit, readNumeric } from "./value-checks.ts";

/** Values as CSV has them, by column; an empty field is null. */
export type Row = Readonly<Record<string, string | null>>;

export type Finding = { ruleId: string; severity: "error" | "warning"; says: string; rows: number; firstRow: number };
export type CheckReport = {
  rows: number;
  /** Rules that data can break and that applied to some row. */
  evaluatedRules: number;
  /** Rules that data can't tell: how a value came to be, and the like. */
  notCheckable: number;
  findings: Finding[];
};

type CheckOptions = { columns: readonly string[]; criteria: ReadonlySet<string> };
type Severity = Finding["severity"] | "none";
/** Which rules failed, innermost first; null where all is well. */
type Failure = { ruleId: string; severity: Severity }[];

const SEVERITY: Record<Rule["ValidationCriteria"]["Keyword"], Severity> = {
  MUST: "error",
  "MUST NOT": "error",
  SHOULD: "warning",
  "SHOULD NOT": "warning",
  RECOMMENDED: "warning",
  MAY: "none",
};
const RANK: Record<Severity, number> = { none: 0, warning: 1, error: 2 };
const lesser = (a: Severity, b: Severity): Severity => (RANK[a] < RANK[b] ? a : b);

export async function checkRows(
  model: RuleModel,
  { columns, criteria }: CheckOptions,
  rows: AsyncIterable<readonly Row[]>,
): Promise<CheckReport> {
  const run = createRun(model, new Set(columns), criteria);
  run.checkColumns();
  let count = 0;
  for await (const some of rows) {
    for (const row of some) {
      count += 1;
      run.checkRow(row, count);
    }
  }
  // Of no rows the columns can still be wrong.
  if (count === 0) run.checkRow({}, 0);
  return { rows: count, ...run.finish() };
}

function createRun(model: RuleModel, present: ReadonlySet<string>, criteria: ReadonlySet<string>) {
  const evaluated = new Set<string>();
  const notCheckable = new Set<string>();
  const findings = new Map<string, Finding>();
  /** For each rule of distinct counts, the values of B that go with each of A. */
  const pairs = new Map<string, { check: Check; severity: Severity; values: Map<string, Set<string | null>> }>();

  const ruleOf = (id: string): Rule => {
    const rule = model.ModelRules[id];
    assert(rule !== undefined, `rule ${id}, as the model was read`);
    return rule;
  };

  function checkRule(id: string, row: Row, outer: Severity): Failure {
    const { ApplicabilityCriteria, EntityType, Reference, Type, ValidationCriteria } = ruleOf(id);
    if (!ApplicabilityCriteria.every((criterion) => criteria.has(criterion))) return [];
    // A column that is not there has broken the rule of its presence, if any.
    if (EntityType === "Column" && !present.has(Reference)) return [];
    const { Keyword, Requirement, Condition } = ValidationCriteria;
    if (Type === "Dynamic" || Requirement === null) {
      notCheckable.add(id);
      return [];
    }
    if (Condition !== null && !holds(Condition, row)) return [];
    const severity = lesser(outer, SEVERITY[Keyword]);
    evaluated.add(id);
    return checkRequirement(id, Requirement, row, severity);
  }

  function checkRequirement(id: string, check: Check, row: Row, severity: Severity): Failure {
    switch (check.CheckFunction) {
      case "AND":
        return check.Items.flatMap((item) => checkRequirement(id, item, row, severity));
      case "OR":
        return check.Items.some((item) => !hasErrors(checkRequirement(id, item, row, "error")))
          ? []
          : [{ ruleId: id, severity }];
      case "CheckModelRule":
        return checkRule(check.ModelRuleId, row, severity);
      case "CheckDistinctCount": {
        const { values } = pairs.get(id) ?? { values: new Map<string, Set<string | null>>() };
        pairs.set(id, { check, severity, values });
        const a = row[check.ColumnAName] ?? null;
        if (a !== null) values.set(a, (values.get(a) ?? new Set()).add(row[check.ColumnBName] ?? null));
        return [];
      }
      default:
        return holds(check, row) ? [] : [{ ruleId: id, severity }];
    }
  }

  const hasErrors = (failure: Failure): boolean => failure.some(({ severity }) => severity === "error");

  function holds(check: Check, row: Row): boolean {
    switch (check.CheckFunction) {
      case "AND":
        return check.Items.every((item) => holds(item, row));
      case "OR":
        return check.Items.some((item) => holds(item, row));
      case "CheckModelRule":
        return !hasErrors(checkRule(check.ModelRuleId, row, "error"));
      case "CheckDistinctCount":
        return true;
      case "ColumnPresent":
        return present.has(check.ColumnName);
      default:
        return holdsOfValues(check, (name) => row[name] ?? null);
    }
  }

  function note({ ruleId, severity }: Failure[number], rowNumber: number, rows = 1): void {
    if (severity === "none") return;
    const known = findings.get(ruleId);
    const says = ruleOf(ruleId).ValidationCriteria.MustSatisfy;
    if (known) known.rows += rows;
    else findings.set(ruleId, { ruleId, severity, says, rows, firstRow: rowNumber });
  }

  return {
    checkColumns(): void {
      const own = new Set(Object.values(model.ModelRules).map(({ Reference }) => Reference));
      const strange = [...present].filter((column) => !own.has(column) && !column.startsWith("x_"));
      for (const column of strange) {
        const says = `${column} is no column of FOCUS ${model.Details.FOCUSVersion}, and custom ones begin with x_.`;
        findings.set(column, { ruleId: "ColumnHandling", severity: "error", says, rows: 0, firstRow: 0 });
      }
    },
    checkRow(row: Row, number: number): void {
      for (const root of model.ModelDatasets.CostAndUsage.ModelRules) {
        for (const failed of checkRule(root, row, "error")) note(failed, number);
      }
    },
    finish(): Omit<CheckReport, "rows"> {
      for (const [ruleId, { check, severity, values }] of pairs) {
        assert(check.CheckFunction === "CheckDistinctCount", "pairs are of distinct counts");
        const wrong = [...values.values()].filter(({ size }) => size !== check.ExpectedCount).length;
        if (wrong > 0) note({ ruleId, severity }, 0, wrong);
      }
      return { evaluatedRules: evaluated.size, notCheckable: notCheckable.size, findings: [...findings.values()] };
    },
  };
}

type ValueCheck = Exclude<Check, { CheckFunction: "AND" | "OR" | "CheckModelRule" | "CheckDistinctCount" }>;

/** Formats and types say nothing of a null: whether it may be one is another rule's. */
function holdsOfValues(check: ValueCheck, read: (column: string) => string | null): boolean {
  switch (check.CheckFunction) {
    case "CheckValue":
      return equals(read(check.ColumnName), check.Value);
    case "CheckNotValue":
      return !equals(read(check.ColumnName), check.Value);
    case "CheckSameValue":
      return read(check.ColumnAName) === read(check.ColumnBName);
    case "CheckNotSameValue":
      return read(check.ColumnAName) !== read(check.ColumnBName);
    case "CheckGreaterOrEqualThanValue":
      return ofNumeric(read(check.ColumnName), (amount) => amount.gte(parseDecimal(String(check.Value))));
    case "ColumnByColumnEqualsColumnValue": {
      const [a, b, result] = [check.ColumnAName, check.ColumnBName, check.ResultColumnName].map(read);
      if (a == null || b == null || result == null) return true;
      const [x, y, product] = [a, b, result].map(readNumeric);
      return x != null && y != null && product != null && x.times(y).eq(product);
    }
    case "ColumnPresent":
      return true;
    default: {
      const value = read(check.ColumnName);
      return value === null || IS_WELL_FORMED[check.CheckFunction](value);
    }
  }
}

const isNumeric = (text: string): boolean => readNumeric(text) !== null;

const IS_WELL_FORMED = {
  CheckDecimalValue: isNumeric,
  TypeDecimal: isNumeric,
  FormatNumeric: isNumeric,
  TypeString: () => true,
  FormatString: isText,
  TypeDateTime: isDateTime,
  FormatDateTime: isDateTime,
  FormatKeyValue: isKeyValue,
  FormatUnit: isUnit,
  // A virtual currency is any text.
  FormatCurrency: isText,
  CheckNationalCurrency: isNationalCurrency,
};

function equals(value: string | null, expected: string | number | null): boolean {
  if (value === null || expected === null || typeof expected === "string") return value === expected;
  return ofNumeric(value, (amount) => amount.eq(parseDecimal(String(expected))));
}

function ofNumeric(value: string | null, judge: (amount: ReturnType<typeof parseDecimal>) => boolean): boolean {
  if (value === null) return true;
  const amount = readNumeric(value);
  return amount !== null && judge(amount);
}
