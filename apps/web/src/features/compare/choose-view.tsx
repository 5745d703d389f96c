/** Which runs are to be compared: the attempts at the same task, or else the newest runs. */
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { PickForm } from "../runs/pick-form.tsx";
import { RunTable } from "../runs/run-table.tsx";
import type { Compared } from "./load-comparison.ts";

type Shown = Extract<Compared, { comparison: null }>;

export function ChooseView({ page, shown: { runs, others, isOfTask } }: { page: Page; shown: Shown }) {
  const { t } = page;
  const [chosen] = runs;
  return (
    <>
      <p className="max-w-[72ch] text-ink-2 max-sm:px-4">
        {chosen === undefined
          ? t.chooseTwo
          : isOfTask
            ? t.chooseAttempt(chosen.title || chosen.task || chosen.traceId)
            : t.chooseOther(chosen.title || chosen.name || chosen.traceId)}
      </p>
      <Panel title={isOfTask ? t.attempts : t.runs} aside={<PickForm page={page} />}>
        <RunTable page={page} runs={[...runs, ...others]} chosen={chosen?.traceId} canPick />
      </Panel>
    </>
  );
}
