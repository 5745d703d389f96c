/** What a workspace no longer keeps: deleted once an hour, and no longer asked about the calls it once had. */
import type { BudgetAccounts, Retention, RetentionPolicies, RetentionStore, Signal } from "@centspan/model";

const DAY_NS = 86_400_000_000_000n;

type Deleted = { workspace: string; signal: Signal; rows: number };

/** Resolves with what was there to be deleted. */
export async function runRetentionPass(
  { policies, store }: { policies: RetentionPolicies; store: RetentionStore },
  nowNs: bigint,
): Promise<Deleted[]> {
  const deleted: Deleted[] = [];
  for (const policy of await policies.listRetention()) {
    const { workspace, signal } = policy;
    const rows = await store.deleteBefore(workspace, signal, keptFrom(policy, nowNs));
    if (rows > 0) deleted.push({ workspace, signal, rows });
  }
  return deleted;
}

/** A month that began so long ago has been over for another. */
const BUDGETS_KEPT_DAYS = 62;

/** Each run and type of task that a client names may have an account. Resolves with how many were deleted. */
export const forgetOldBudgets = (
  accounts: Pick<BudgetAccounts, "forgetBudgetAccounts">,
  nowNs: bigint,
): Promise<number> =>
  accounts.forgetBudgetAccounts(new Date(Number((nowNs - BigInt(BUDGETS_KEPT_DAYS) * DAY_NS) / 1_000_000n)));

/** Since when a workspace keeps both spans and log records, for workspaces that don't keep them for ever. */
export function findUsageHorizons(policies: readonly Retention[], nowNs: bigint): Map<string, bigint> {
  const horizons = new Map<string, bigint>();
  for (const policy of policies) {
    if (policy.signal === "metrics") continue;
    const from = keptFrom(policy, nowNs);
    if (from > (horizons.get(policy.workspace) ?? 0n)) horizons.set(policy.workspace, from);
  }
  return horizons;
}

const keptFrom = ({ days }: Retention, nowNs: bigint): bigint => {
  const from = nowNs - BigInt(days) * DAY_NS;
  return from > 0n ? from : 0n;
};
