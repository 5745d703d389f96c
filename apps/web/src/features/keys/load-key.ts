/** Loads a key's page. The address holds its name or its id; a name that only imported calls carry is a key too. */
import { CentspanError } from "@centspan/base";
import type { TraceRow } from "@centspan/model";
import { prepareTasks, type TaskRow } from "@centspan/ui";
import { loadSpend, type Spend } from "../ledger/load-spend.ts";
import type { Page } from "../page/page.ts";

const MOST_TASKS = 100;
const MOST_RUNS = "1000";

export type KeyPage = {
  name: string;
  team: string | null;
  spend: Spend;
  tasks: TaskRow[];
  taskCount: number;
  runs: TraceRow[];
  /** There are more runs than these newest ones, and so perhaps more attempts at a task. */
  moreRuns: boolean;
};

export async function loadKey(page: Page, nameOrId: string): Promise<KeyPage> {
  const { api } = page;
  const { data: keys } = await api.keys();
  const known = keys.find((key) => key.name === nameOrId || key.keyId === nameOrId);
  const key = known?.name ?? nameOrId;
  const spend = await loadSpend(page, { key }, ["taskType"]);
  if (known === undefined && !spend.any) {
    const ever = await api.cost({ key, groupBy: "key" });
    if (ever.data.length === 0) throw new CentspanError("not_found", `key ${nameOrId}: not in this workspace`);
  }
  const query = { key, ...spend.period.range };
  const [outcomes, costs, traces] = await Promise.all([
    api.outcomesCost({ ...query, groupBy: "task" }),
    api.cost({ ...query, groupBy: "task" }),
    api.traces({ ...query, limit: MOST_RUNS }),
  ]);
  return {
    name: key,
    team: known?.team ?? traces.data[0]?.team ?? null,
    spend,
    tasks: prepareTasks({ outcomes: outcomes.data, costs: costs.data, traces: traces.data }, MOST_TASKS),
    taskCount: outcomes.data.filter((row) => row.group !== "").length,
    runs: traces.data,
    moreRuns: traces.nextCursor !== null,
  };
}
