/** Loads the budgets, and whom one may be of: keys by their ids, teams and types of task by their names. */
import type { ApiClient } from "@centspan/api";
import type { BudgetRow, KeyRow } from "@centspan/model";

export type Subject = { id: string; name: string };

function listSubjects(keys: readonly KeyRow[]): Subject[] {
  const callers = keys.filter(({ kind, revokedAt }) => kind === "gateway" && revokedAt === null);
  const teams = [...new Set(callers.flatMap(({ team }) => team ?? []))].sort();
  return [
    { id: "*", name: "" },
    ...teams.map((team) => ({ id: team, name: "" })),
    ...callers.map(({ keyId, name }) => ({ id: keyId, name })),
  ];
}

export type Budgets = {
  budgets: BudgetRow[];
  subjects: Subject[];
  /** Of keys: what they are called. */
  keyNames: ReadonlyMap<string, string>;
  timeZone: string;
};

export async function loadBudgets(api: ApiClient): Promise<Budgets> {
  const [{ data: budgets }, { data: keys }, { timeZone }] = await Promise.all([
    api.budgets(),
    api.keys(),
    api.billingTimeZone(),
  ]);
  return {
    budgets,
    subjects: listSubjects(keys),
    keyNames: new Map(keys.map(({ keyId, name }) => [keyId, name])),
    timeZone,
  };
}
