/** `centspan export`: a month's charges for other tools. */
import { createWriteStream, readFileSync, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiClient } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import {
  type CheckReport,
  checkExport,
  describeSpec14,
  FOCUS_VERSIONS,
  type FocusVersion,
  type RuleModel,
  readRuleModel,
} from "@centspan/focus";
import { type Command, Option } from "commander";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type ExportOptions = {
  data: string;
  workspace: string;
  spec: FocusVersion;
  period: string;
  format: string;
  out: string;
  check?: string | true;
};

export function registerExport(program: Command, defaultData: string): void {
  const command = program.command("export").description("a month's charges for other tools");
  addWorkspaceOptions(command.command("focus"), defaultData)
    .description("charges by day, credential, model and meter, as FOCUS data; a closed month adds up to its statement")
    .requiredOption("--period <month>", "month, such as 2026-10")
    .requiredOption("--out <file>", "file to write")
    .addOption(new Option("--spec <version>", "version of FOCUS").choices([...FOCUS_VERSIONS]).default("1.2"))
    .addOption(new Option("--format <format>", "what to write").choices(["csv", "parquet"]).default("csv"))
    .option(
      "--check [model]",
      "check what is exported: 1.2 by the rule model in that file (model-1.2.json of focus_validator), 1.4 by Centspan's own table; exit code 1 when a rule fails",
    )
    .action((options: ExportOptions) => printWithWorkspace(options, (api) => exportFocus(api, options)));
}

async function exportFocus(api: ApiClient, options: ExportOptions): Promise<string> {
  const { spec: version, period, format, out } = options;
  const model = options.check === undefined ? null : readModel(version, options.check);
  await writeWhole(out, api.exportFocus({ version, period, format }));
  const written = `${out}: FOCUS ${version} of ${period}`;
  if (model === null) return written;
  const report = await checkExport(version, model, api.exportFocus({ version, period, format: "csv" }));
  if (report.findings.some(({ severity }) => severity === "error")) process.exitCode = 1;
  return [written, ...describeReport(report)].join("\n");
}

function readModel(version: FocusVersion, file: string | true): RuleModel {
  if (version === "1.4") {
    if (file === true) return describeSpec14();
    throw new CentspanError("invalid_request", "--check: 1.4 is checked by Centspan's own table, and takes no file", {
      field: "check",
    });
  }
  if (file === true) {
    throw new CentspanError("invalid_request", "--check: 1.2 needs the rule model: --check model-1.2.json", {
      field: "check",
    });
  }
  try {
    return readRuleModel(file, readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof CentspanError) throw error;
    throw new CentspanError("invalid_file", `${file}: can't be read`, { cause: error });
  }
}

/** Under its name only when all of it is there. */
async function writeWhole(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const draft = `${file}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(draft));
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function describeReport({ rows, evaluatedRules, notCheckable, findings }: CheckReport): string[] {
  return [
    `${rows} rows, ${evaluatedRules} rules checked; ${notCheckable} say what no file can show`,
    ...findings.map(({ severity, ruleId, says, rows: count, firstRow }) => {
      const where = firstRow === 0 ? "" : ` (${count} rows, the first is ${firstRow})`;
      return `${severity}: ${ruleId}: ${says}${where}`;
    }),
    ...(findings.length === 0 ? ["no rule fails"] : []),
  ];
}
