/** The dearest pull requests and branches as text for a terminal, with what they cost up to their first green test run. */
import { choosesRequests } from "@centspan/attribution";
import type { WorkAnswer, WorkRow } from "@centspan/model";
import { formatTable } from "../report.ts";
import { toCents } from "./describe-figures.ts";

const MOST_ROWS = 6;

export function formatWork(requests: WorkAnswer, branches: WorkAnswer): string {
  const [of, { data, total }] = choosesRequests(requests.total, branches.total)
    ? ["pull request", requests]
    : ["branch", branches];
  if (data.length === 0) return "";
  const head = [of, "repository", "state", "sessions", "USD at list", "to first green test", "after it"];
  const share = total.coverage === null ? "–" : `${(Number(total.coverage) * 100).toFixed(1)}%`;
  const lost = [
    ["reverted or refused", branches.total.revertedUsd],
    ["abandoned (nothing for two weeks)", branches.total.abandonedUsd],
  ].flatMap(([what = "", usd = "0"]) =>
    Number(usd) === 0 ? [] : [`${toCents(usd)} USD on branches that were ${what}`],
  );
  return [
    `What work cost, by ${of} (coverage ${share}; test verdicts are derived from output)`,
    formatTable([head, ...data.slice(0, MOST_ROWS).map(describeRow)], 3),
    ...(lost.length === 0 ? [] : [lost.join(", ")]),
  ].join("\n");
}

const describeRow = (row: WorkRow): string[] => [
  row.group,
  row.repository || "–",
  row.state.replace("_", " "),
  String(row.sessions),
  toCents(row.costUsd),
  row.toGreenUsd === null ? "no green run" : toCents(row.toGreenUsd),
  row.afterGreenUsd === null ? "–" : toCents(row.afterGreenUsd),
];
