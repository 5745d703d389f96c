/** `harness audit`: rereads the event logs of past runs. */
import { type Command, InvalidArgumentError } from "commander";
import { runAuditAgent } from "../audit/audit-agent.ts";
import { auditLogs } from "../audit/audit-logs.ts";
import { limitsSchema } from "../budget/limits.ts";
import { gatewayKeyOf, readSettings } from "../config.ts";
import { describeFindings, toJsonLine } from "../print.ts";
import { DEFAULT_IMAGE } from "../sandbox/container.ts";
import { openServices } from "../services.ts";
import { readLoopSettings, WINDOW_TOKENS } from "./loop-flags.ts";
import { EXIT_FAILED, EXIT_OK, type Surroundings } from "./surroundings.ts";

type AuditFlags = { since: Date; model?: string; budgetUsd?: string; json: boolean };

export function registerAudit(program: Command, around: Surroundings, exitWith: (code: number) => void): void {
  program
    .command("audit")
    .description("reread the event logs of runs; exit code 1 when something in them should be looked into")
    .requiredOption("--since <when>", "how far back, such as 24h or 7d, or an ISO 8601 time", readSince)
    .option("--model <model>", "have an agent with this model read them too")
    .option("--budget-usd <amount>", "what that agent may spend")
    .option("--json", "print the findings as one JSON line", false)
    .action(async (flags: AuditFlags) => exitWith(await audit(flags, around)));
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readSince(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = unit === "m" || unit === "h" || unit === "d" ? Number(count) * UNITS[unit] : null;
  const since = ms === null ? new Date(text) : new Date(Date.now() - ms);
  if (!Number.isNaN(since.getTime())) return since;
  throw new InvalidArgumentError("It has to be like 90m, 24h, 7d or an ISO 8601 time.");
}

async function audit(flags: AuditFlags, around: Surroundings): Promise<number> {
  const settings = readSettings(around.env);
  const done = await auditLogs(settings.CENTSPAN_WORK_DIR, flags.since, new Date());
  const findings = [...done.findings, ...(flags.model === undefined ? [] : await askAgent(flags.model))];
  const result = { type: "audit", since: done.since, threads: done.read.length, findings };
  around.print(flags.json ? toJsonLine(result) : describeFindings(result));
  return findings.length === 0 ? EXIT_OK : EXIT_FAILED;

  async function askAgent(model: string) {
    const limits = limitsSchema.parse({ usd: flags.budgetUsd });
    const open = await openServices({
      ...{ settings, version: around.version, connections: 1, keepCopies: "none" },
      sandbox: { kind: "auto", image: DEFAULT_IMAGE, unsafe: false },
      loop: readLoopSettings({ window: WINDOW_TOKENS, without: [] }),
      signal: around.signal,
    });
    try {
      return await runAuditAgent(done, { model, gatewayKey: gatewayKeyOf(settings), limits }, open.services);
    } finally {
      await open.close();
    }
  }
}
