/** Outcomes that came with a request. What is stored already stays as it was said first: history is not written again. */
import { CentspanError, formatInstant } from "@centspan/base";
import type { Outcome } from "@centspan/model";
import type { ApiDeps, Caller } from "../route.ts";

/** Clocks of those who report may be ahead. What is later than that would be the latest word for good. */
const AHEAD_NS = 300_000_000_000n;

/** As they are stored then. `compare` may refuse one by what is stored under its id. */
export async function storeOutcomes(
  { deps, caller }: { deps: ApiDeps; caller: Caller },
  outcomes: readonly Outcome[],
  compare: (before: Outcome, said: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const latestNs = deps.clock.nowNs() + AHEAD_NS;
  const future = outcomes.find(({ atNs }) => atNs > latestNs);
  if (future !== undefined) {
    throw new CentspanError(
      "invalid_request",
      `body: says that it was at ${formatInstant(future.atNs)}, which is to come`,
      {
        field: "body",
      },
    );
  }
  const outcomeIds = outcomes.map(({ outcomeId }) => outcomeId);
  const before = await deps.warehouse.listOutcomes(caller.workspace, { outcomeIds });
  const stored = new Map(before.map((outcome) => [outcome.outcomeId, outcome]));
  const asStored = outcomes.map((said) => {
    const first = stored.get(said.outcomeId);
    if (first !== undefined) compare(first, said);
    return first ?? said;
  });
  await deps.warehouse.insertOutcomes(
    caller.workspace,
    outcomes.filter(({ outcomeId }) => !stored.has(outcomeId)),
  );
  return asStored;
}
