/** `centspan close`: months of a workspace, their statements, and their close. */
import type { PeriodRow } from "@centspan/model";
import type { Command } from "commander";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type CloseOptions = { data: string; workspace: string };

export function registerClose(program: Command, defaultData: string): void {
  const command = program
    .command("close")
    .description("close months: statements per team, in cents, that never change");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("list", "the month that is to be closed next, and the closed ones").action((options: CloseOptions) =>
    printWithWorkspace(options, async (api) => formatPeriods((await api.periods()).data)),
  );

  add("show", "a month's statement by team, as it was closed or as it stands")
    .argument("<period>", "month, such as 2026-10")
    .action((period: string, options: CloseOptions) =>
      printWithWorkspace(options, async (api) => formatStatement(await api.period(period))),
    );

  add("month", "close a month for good; what changes later becomes corrections in the month that is then open")
    .argument("<period>", "month, such as 2026-10; it has ended, is rated, and no earlier one is open")
    .option("--accept-unknown", "close although the cost of some calls is not known", false)
    .action((period: string, options: CloseOptions & { acceptUnknown: boolean }) =>
      printWithWorkspace(options, async (api) =>
        formatStatement(await api.closePeriod(period, { acceptUnknown: options.acceptUnknown })),
      ),
    );

  add("assign", "name who answers for what no team owns of a closed month")
    .argument("<period>", "closed month")
    .argument("<owner>", "person or group")
    .action((period: string, owner: string, options: CloseOptions) =>
      printWithWorkspace(options, async (api) => formatStatement(await api.assignUnallocated(period, owner))),
    );

  add("zone", "set whose calendar the months follow, until the first of them is closed")
    .argument("<zone>", "IANA time zone, such as Europe/Berlin")
    .action((zone: string, options: CloseOptions) =>
      printWithWorkspace(options, async (api) => {
        const { timeZone } = await api.setBillingTimeZone(zone);
        return `months of workspace ${options.workspace} follow the calendar of ${timeZone}`;
      }),
    );

  add("log", "who closed, assigned and reconciled what, newest first").action((options: CloseOptions) =>
    printWithWorkspace(options, async (api) => {
      const { data } = await api.audit();
      const rows = data.map(({ at, actor, action, subject, details }) => [
        at.slice(0, 19),
        actor,
        action,
        subject,
        Object.entries(details)
          .map(([name, value]) => `${name} ${value}`)
          .join(", "),
      ]);
      return formatTable([["at", "who", "did", "to", "details"], ...rows], 5);
    }),
  );
}

const formatPeriods = (periods: readonly PeriodRow[]): string =>
  formatTable(
    [
      ["month", "state", "closed by", "exact USD", "statement USD"],
      ...periods.map((row) => [
        row.period,
        row.status,
        row.closedBy ?? "–",
        row.exactUsd,
        row.status === "closed" ? row.amountUsd : "–",
      ]),
    ],
    3,
  );

function formatStatement(row: PeriodRow): string {
  const state = row.closedAt === null ? "open" : `closed by ${row.closedBy} at ${row.closedAt}`;
  const table = formatTable([
    ["team", "charge lines", "exact USD", "rounding", "statement USD"],
    ...row.lines.map(({ team, lines, exactUsd, roundingUsd, amountUsd, owner }) => [
      team === "" ? `unallocated (${owner === null ? "no owner yet" : `owner: ${owner}`})` : team,
      String(lines),
      exactUsd,
      roundingUsd,
      amountUsd,
    ]),
    ["all", String(row.lines.reduce((sum, { lines }) => sum + lines, 0)), row.exactUsd, "", row.amountUsd],
  ]);
  const unknown =
    row.unpricedCalls + row.quarantinedCalls + row.unratedUnits === 0
      ? []
      : [
          `In no line: ${row.unpricedCalls} calls without a price, ${row.quarantinedCalls} in quarantine, and those of ${row.unratedUnits} traces that could not be rated.`,
        ];
  return [`${row.period} (${row.timeZone}), ${state}`, table, ...formatCommitments(row), ...unknown].join("\n");
}

const formatCommitments = ({ commitments }: PeriodRow): string[] =>
  commitments.length === 0
    ? []
    : [
        "\nWhat of it comes from commitments:",
        formatTable(
          [
            ["commitment", "team", "share", "by the token USD", "cost USD", "provenance"],
            ...commitments.map(({ commitment, team, status, payPerTokenUsd, costUsd, provenance }) => [
              commitment,
              team === "" ? "unallocated" : team,
              status,
              payPerTokenUsd,
              costUsd,
              provenance,
            ]),
          ],
          3,
        ),
      ];
