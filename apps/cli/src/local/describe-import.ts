/** What was found, and the receipt of an import, as text for a terminal. */
import type { HistoryReceipt } from "@centspan/histories";
import type { RemovalReason } from "@centspan/model";
import { formatCount as count, formatBytes } from "@centspan/ui/format";
import { formatTable } from "../report.ts";
import type { Endangered } from "./find-endangered.ts";
import type { FoundHistories } from "./find-histories.ts";
import type { ImportReport } from "./run-import.ts";

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function formatFound(found: FoundHistories, tellPath: (path: string) => string): string {
  const rows = found.places
    .filter(({ files }) => files > 0)
    .map(({ format, folder, files, bytes }) => [
      format.agent,
      tellPath(folder),
      plural(files, "file"),
      formatBytes(bytes),
    ]);
  return rows.length === 0 ? "" : formatTable(rows, 2);
}

const REASONS: Record<RemovalReason, string> = {
  growing_line: "an earlier line of a response that grew",
  copied_history: "copied into a resumed or forked session",
  side_chain_replay: "replayed by a side chain under another request id",
  repeated_snapshot: "a snapshot of a total that was counted",
  same_response: "the same response in another file",
  synthetic: "written by the agent itself, by no model",
  copied_message: "a copy of a message",
};

const PROBLEMS: Record<HistoryReceipt["problems"][number]["problem"], string> = {
  broken_json: "is not whole JSON",
  not_an_object: "is no JSON object",
  unknown_shape: "is of a shape that is not known",
  too_long: "is too long to be read",
};
const MOST_NAMED = 5;

export function formatReceipt(
  report: ImportReport,
  endangered: readonly Endangered[],
  tellPath: (path: string) => string,
): string {
  const { receipt, unchanged } = report;
  const rows: string[][] = [
    ["files read", count(receipt.files), unchanged === 0 ? "" : `and ${count(unchanged)} that had not changed`],
    ["lines", count(receipt.lines), formatBytes(receipt.bytes)],
    ["calls counted", count(receipt.calls), plural(receipt.tokens, "token")],
    ["messages of yours", count(receipt.turns), `and ${plural(receipt.toolRuns, "tool call")}`],
  ];
  return [
    "Receipt of this import",
    formatTable(rows),
    ...listRemoved(receipt),
    ...listProblems(report, tellPath),
    ...listWork(report),
    ...endangered.map(describeEndangered),
    ...(report.interrupted ? ["Interrupted: the same command goes on from here."] : []),
  ].join("\n");
}

function listRemoved({ removed }: HistoryReceipt): string[] {
  const rows = Object.entries(removed).flatMap(([reason, { records, tokens }]) =>
    records === 0
      ? []
      : [
          [
            REASONS[isReason(reason) ? reason : "same_response"],
            count(records),
            tokens === 0 ? "" : plural(tokens, "token"),
          ],
        ],
  );
  return rows.length === 0 ? [] : ["Not counted again, since it was", formatTable(rows)];
}

const isReason = (reason: string): reason is RemovalReason => Object.hasOwn(REASONS, reason);

function listProblems({ receipt, unreadable, sent }: ImportReport, tellPath: (path: string) => string): string[] {
  const { problems, problemLines, unfinishedLines } = receipt;
  const named = problems.slice(0, MOST_NAMED);
  return [
    ...(problemLines === 0 ? [] : [`Could not be read: ${plural(problemLines, "line")}`]),
    ...named.map(({ file, line, problem, field }) => {
      const where = field === "" ? "" : ` (${field})`;
      return `  ${tellPath(file)}:${line} ${PROBLEMS[problem]}${where}`;
    }),
    ...(problemLines > named.length
      ? [`  and ${count(problemLines - named.length)} more; --json lists the first 100`]
      : []),
    ...unreadable.slice(0, MOST_NAMED).map(({ path, reason }) => `Could not be opened: ${tellPath(path)} (${reason})`),
    ...(unfinishedLines === 0
      ? []
      : [`Still being written: ${plural(unfinishedLines, "last line")}, read the next time`]),
    ...(sent.refused === 0 ? [] : [`Refused by the collector: ${plural(sent.refused, "span")} (${sent.reason})`]),
  ];
}

const listWork = ({ repositories }: ImportReport): string[] =>
  repositories.length === 0
    ? []
    : [
        "Git repositories that were asked (read only, nothing fetched)",
        formatTable(
          repositories.map(({ name, commits, made, problem }) => [
            name,
            `${plural(commits, "commit")}, ${count(made)} made in these sessions`,
            problem,
          ]),
          3,
        ),
      ];

function describeEndangered({ agent, keptForDays, setting, files, bytes, days }: Endangered): string {
  const [first = "", last = ""] = [days[0], days.at(-1)];
  const range = first === last ? first : `${first} to ${last}`;
  const remedy =
    setting === null
      ? "import again before that"
      : `what is imported stays here; set ${setting} in its settings to keep the files themselves`;
  return `About to be deleted by ${agent}, which keeps ${keptForDays} days: ${plural(files, "file")} (${formatBytes(bytes)}) of ${plural(days.length, "day")}, ${range}; ${remedy}`;
}
