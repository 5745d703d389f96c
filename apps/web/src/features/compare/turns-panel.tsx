/** Turn by turn: what each run did at its first, second, third turn, and where the two part. */
import type { TraceRow } from "@centspan/model";
import { formatCount, type TurnRow, type TurnSide, type Walk } from "@centspan/ui";
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { Compared } from "./compared.ts";

/** `hasEnded`: at the turn before. */
type SideProps = { page: Page; run: TraceRow; side: TurnSide | null; hasEnded: boolean };

const writeTools = ({ tools }: TurnSide): string =>
  tools.map(({ name, times }) => (times > 1 ? `${name} × ${times}` : name)).join(", ");

function Side({ page, run, side, hasEnded }: SideProps) {
  const { t } = page;
  if (side === null) {
    return (
      <>
        <td className="pl-6! text-ink-3">{!hasEnded && t.runHadEnded}</td>
        <td className="cell-wide" />
        <td />
      </>
    );
  }
  return (
    <>
      <td className="max-w-0 w-[26%] truncate pl-6!" title={writeTools(side)}>
        {side.tools.length === 0 ? <span className="text-ink-3">{t.noToolCalled}</span> : writeTools(side)}
      </td>
      <td className="num cell-wide text-ink-3">{side.tokens}</td>
      <td className="num w-[13%]">
        <PageLink
          className="figure-link"
          href={page.href(`/runs/${run.traceId}`, { span: side.spanId })}
          aria-label={`${t.turnOf} ${side.number}: ${side.cost ?? t.unpriced}`}
        >
          {side.cost ?? t.unpriced}
        </PageLink>
        <span className="mt-0.5 block h-[3px] bg-sunken" aria-hidden="true">
          <span className="ml-auto block h-full bg-[var(--c-now)]" style={{ width: `${side.barPct}%` }} />
        </span>
      </td>
    </>
  );
}

function Row({
  page,
  runs,
  row,
  before,
}: Pick<Compared, "page" | "runs"> & { row: TurnRow; before: TurnRow | undefined }) {
  const hasEnded = (side: 0 | 1): boolean => before !== undefined && before.sides[side] === null;
  return (
    <tr
      className={clsx(row.isParting && "scroll-mt-8 *:border-t-2! *:border-t-accent! *:bg-accent-weak")}
      id={row.isParting ? "parting" : undefined}
    >
      <th scope="row" className="w-[72px]">
        {row.number} {row.isParting && <span className="tag tag-accent">{page.t.partsHere}</span>}
      </th>
      <Side page={page} run={runs[0]} side={row.sides[0]} hasEnded={hasEnded(0)} />
      <Side page={page} run={runs[1]} side={row.sides[1]} hasEnded={hasEnded(1)} />
    </tr>
  );
}

export function TurnsPanel({ page, runs, walk }: Compared & { walk: Walk }) {
  const { t } = page;
  const tokens = t.tokensRead;
  return (
    <Panel title={t.turnByTurn} note={t.turnByTurnNote}>
      <div className="max-h-[560px] overflow-auto" {...REACHED_BY_KEYS}>
        <table className="data-table">
          <thead className="sticky top-0 z-1 bg-surface">
            <tr>
              <th scope="col">{t.turnOf}</th>
              {["A", "B"].map((name) => [
                <th key={`${name} tools`} scope="col" className="pl-6!">
                  {name} · {t.toolsOf.toLowerCase()}
                </th>,
                <th key={`${name} tokens`} scope="col" className="num cell-wide">
                  {tokens}
                </th>,
                <th key={`${name} cost`} scope="col" className="num">
                  {t.cost}
                </th>,
              ])}
            </tr>
          </thead>
          <tbody>
            {walk.turns.map((row, n) => (
              <Row key={row.number} page={page} runs={runs} row={row} before={walk.turns[n - 1]} />
            ))}
          </tbody>
        </table>
      </div>
      {walk.notListed > 0 && (
        <p className="px-4 py-2 text-ink-3 text-note">{t.turnsNotListed(formatCount(walk.notListed))}</p>
      )}
    </Panel>
  );
}

/** Whoever scrolls by keys would not get to what is out of sight otherwise. */
const REACHED_BY_KEYS = { tabIndex: 0 };
