/** Runs are ticked in their rows and compared by this button. A form of the page: works without client code. */
import type { Page } from "../page/page.ts";

const FORM = "compare-runs";

export function PickForm({ page: { t, params } }: { page: Page }) {
  return (
    <form id={FORM} action="/runs/compare" className="flex items-baseline gap-2">
      {params.workspace !== undefined && <input type="hidden" name="workspace" value={params.workspace} />}
      <button type="submit" className="link-button">
        {t.compareTicked}
      </button>
    </form>
  );
}

type PickProps = { traceId: string; of: string; isChosen: boolean; page: Page };

export function Pick({ traceId, of, isChosen, page: { t } }: PickProps) {
  return (
    <input
      type="checkbox"
      form={FORM}
      name="run"
      value={traceId}
      defaultChecked={isChosen}
      aria-label={t.tickRun(of)}
      className="align-middle accent-[var(--accent)]"
    />
  );
}
