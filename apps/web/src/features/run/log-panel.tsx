/** Log records of a run: each a line that opens to its attributes; closed where there are none. */
import { formatCount } from "@centspan/ui";
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { Facts } from "./facts.tsx";
import type { RunLogs } from "./load-logs.ts";
import { type LogLine, prepareLogs } from "./prepare-logs.ts";

function Line({ page, line }: { page: Page; line: LogLine }) {
  const { t } = page;
  return (
    <tr>
      <td className="num align-top leading-[30px] text-ink-2" title={line.at}>
        {line.offset}
      </td>
      <td className="align-top leading-[30px]">
        {line.severity !== null && (
          <span className={clsx("tag", line.severity.isAttention && "tag-attention")}>{line.severity.text}</span>
        )}
      </td>
      <td className="align-top leading-[30px] text-ink-2">{line.service}</td>
      <td className="w-full max-w-0 whitespace-normal!">
        <details>
          <summary className="cursor-pointer truncate py-1.5">
            {line.event} <span className="text-ink-2">{line.says}</span>
          </summary>
          <div className="pt-1 pb-2.5">
            {line.body !== "" && <pre className="code-block mb-2">{line.body}</pre>}
            <Facts mono rows={line.attributes} />
            {line.hidden.length > 0 && (
              <p className="mt-2 text-ink-3 text-note">{t.contentHidden(line.hidden.join(", "))}</p>
            )}
            {line.spanId !== "" && (
              <p className="mt-2 text-note">
                {t.span}{" "}
                <PageLink className="font-mono" href={page.here({ span: line.spanId })} scroll={false}>
                  {line.spanId}
                </PageLink>
              </p>
            )}
          </div>
        </details>
      </td>
    </tr>
  );
}

export function LogPanel({ page, logs, startedNs }: { page: Page; logs: RunLogs; startedNs: bigint }) {
  const { t } = page;
  const { records, olderCursor, isNewest } = logs;
  if (records.length === 0 && isNewest) {
    return <p className="px-0.5 text-ink-3 text-note max-sm:px-4">{t.noLogRecords}</p>;
  }
  const isAll = isNewest && olderCursor === null;
  return (
    <Panel title={t.logRecords} note={isAll ? t.countLogRecords(formatCount(records.length)) : undefined}>
      <div className="relative overflow-x-auto">
        <table className="data-table min-w-[560px]">
          <thead>
            <tr>
              <th scope="col" className="num">
                {t.time}
              </th>
              <th scope="col">{t.severity}</th>
              <th scope="col">{t.service}</th>
              <th scope="col">{t.says}</th>
            </tr>
          </thead>
          <tbody>
            {prepareLogs(records, startedNs).map((line) => (
              <Line key={line.key} page={page} line={line} />
            ))}
          </tbody>
        </table>
      </div>
      {!isAll && (
        <p className="flex gap-3 border-line border-t px-4 py-2 text-note">
          {olderCursor !== null && (
            <PageLink href={page.here({ logs: olderCursor })} scroll={false}>
              {t.olderLogs}
            </PageLink>
          )}
          {!isNewest && (
            <PageLink href={page.here({ logs: null })} scroll={false}>
              {t.newestLogs}
            </PageLink>
          )}
        </p>
      )}
    </Panel>
  );
}
