/** `centspan doctor`: whether the stack works, what it received and refused, and what to do about it. */
import { CentspanError, createWallClock } from "@centspan/base";
import type { Command } from "commander";
import { connectionPath, readConnection } from "../connection.ts";
import { describeExamination } from "../doctor/describe.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { examine, type Target } from "../doctor/examine.ts";
import { DEFAULT_WORKSPACE } from "../stores.ts";

type DoctorOptions = { data: string; workspace: string; json: boolean; webUrl?: string; otlpUrl?: string };

export function registerDoctor(program: Command, defaultData: string): void {
  program
    .command("doctor")
    .description(
      "check a running stack: services, spool, refused records, last data per source; exit code 1 if something is wrong",
    )
    .option("--web-url <url>", "address of the Trace API (or CENTSPAN_API_URL; its key is in CENTSPAN_API_KEY)")
    .option("--otlp-url <url>", "address of the collector (or CENTSPAN_OTLP_URL; its key is in CENTSPAN_INGEST_KEY)")
    .option("--workspace <id>", "workspace", DEFAULT_WORKSPACE)
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .option("--json", "all of it as JSON", false)
    .action(async (options: DoctorOptions) => {
      const examination = await examine(chooseTarget(options, process.env), createWallClock().nowNs());
      const findings = diagnose(examination);
      const healthy = findings.every(({ level }) => level !== "wrong");
      const text = options.json
        ? JSON.stringify({ healthy, findings, ...examination }, null, 2)
        : describeExamination(examination, findings);
      process.stdout.write(`${text}\n`);
      process.exitCode = healthy ? 0 : 1;
    });
}

/** An option, else the environment, else the local stack's file: it is read only where it is the local stack that is meant. */
export function chooseTarget(
  { data, workspace, webUrl, otlpUrl }: DoctorOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Target {
  const { CENTSPAN_API_URL, CENTSPAN_OTLP_URL, CENTSPAN_API_KEY, CENTSPAN_INGEST_KEY } = environment;
  const named = {
    webUrl: readAddress("--web-url or CENTSPAN_API_URL", webUrl || CENTSPAN_API_URL),
    otlpUrl: readAddress("--otlp-url or CENTSPAN_OTLP_URL", otlpUrl || CENTSPAN_OTLP_URL),
  };
  if (named.webUrl !== null || named.otlpUrl !== null) {
    const keys = { apiKey: CENTSPAN_API_KEY || null, ingestKey: CENTSPAN_INGEST_KEY || null };
    return { from: "options and environment", ...named, gatewayUrl: null, engineUrl: null, ...keys, workspace };
  }
  const connection = readConnection(data);
  const from = connectionPath(data);
  if (connection !== null) return { from, ...connection, workspace };
  return {
    from: `${from}, which is not there`,
    webUrl: null,
    otlpUrl: null,
    gatewayUrl: null,
    engineUrl: null,
    apiKey: null,
    ingestKey: null,
    workspace,
  };
}

function readAddress(name: string, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new CentspanError(
    "invalid_request",
    `${name}: ${JSON.stringify(text)} is not an address with http:// or https://`,
  );
}
