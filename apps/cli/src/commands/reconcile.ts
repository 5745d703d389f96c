/** `centspan reconcile`: a provider's file beside the ledger. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { CentspanError } from "@centspan/base";
import type { ReconciliationRow } from "@centspan/model";
import { type Command, InvalidArgumentError } from "commander";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type ReconcileOptions = { data: string; workspace: string; alias: Record<string, string>; json: boolean };

const CAUSE_NAMES: Readonly<Record<string, string>> = {
  missing_key: "missing key",
  duplicate: "duplicate row",
  time_zone: "time zone",
  unpriced: "unpriced",
  quarantined: "in quarantine",
  provider_credit: "provider credit",
  adjustment: "adjustment",
  correction: "correction",
  commitment: "commitment",
  not_invoiced: "not invoiced",
  rounding: "rounding",
  price: "other price",
  unexplained: "unexplained",
};

export function registerReconcile(program: Command, defaultData: string): void {
  addWorkspaceOptions(program.command("reconcile"), defaultData)
    .description(
      "compare a provider's file with the ledger by day, project, key, model and meter; exit code 1 where a difference stays unexplained",
    )
    .argument(
      "<file>",
      "costs or usage of OpenAI or Anthropic (JSON of their APIs, CSV of their consoles), or FOCUS data (CSV)",
    )
    .option("--alias <theirs=ours>", "what the provider calls a team or key of ours; may be repeated", readAlias, {})
    .option("--json", "the answer of POST /api/v1/reconciliations", false)
    .action((file: string, options: ReconcileOptions) => {
      const content = readContent(file);
      return printWithWorkspace(options, async (api) => {
        const found = await api.reconcile({ file: basename(file), content, aliases: options.alias });
        if (found.unexplained !== "0") process.exitCode = 1;
        return options.json ? JSON.stringify(found, null, 2) : formatReconciliation(found);
      });
    });
}

function readAlias(text: string, others: Record<string, string>): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError("Must be theirs=ours.");
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) };
}

function readContent(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CentspanError("invalid_file", `${file}: can't be read; nothing was imported`, { cause });
  }
}

function formatReconciliation(found: ReconciliationRow): string {
  const unit = found.unit === "usd" ? "USD" : "units";
  const rows = found.differences.map((row) => [
    CAUSE_NAMES[row.cause] ?? row.cause,
    [row.provider, row.project, row.key, row.model, row.meter].filter((part) => part !== "").join(" "),
    row.days.length === 1 ? (row.days[0] ?? "") : `${row.days.length} days`,
    row.evidence,
    row.invoiced,
    row.rated,
    row.difference,
  ]);
  return [
    `${found.file} (${found.format}), ${found.from} to ${found.to}: invoiced ${found.invoiced} ${unit}, rated here ${found.rated}, difference ${found.difference}`,
    `${found.matched} days of ${["provider", ...found.compared].join(", ")} agree exactly`,
    ...found.strange.map((what) => `${what}: the file's names are not ours, so not compared; name them with --alias`),
    ...(rows.length === 0
      ? []
      : [formatTable([["cause", "what", "when", "evidence", "invoiced", "rated here", "difference"], ...rows], 4)]),
    `unexplained: ${found.unexplained} ${unit}`,
  ].join("\n");
}
