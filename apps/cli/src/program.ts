/** The command tree of `centspan`, without running it: the CLI and its generated documentation share it. */
import { Command } from "commander";
import { registerBudgets } from "./commands/budgets.ts";
import { registerClose } from "./commands/close.ts";
import { registerCommitments } from "./commands/commitments.ts";
import { registerCost } from "./commands/cost.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerEval } from "./commands/eval.ts";
import { registerExport } from "./commands/export.ts";
import { registerImport } from "./commands/import.ts";
import { registerKeys } from "./commands/keys.ts";
import { registerMembers } from "./commands/members.ts";
import { registerMigrate } from "./commands/migrate.ts";
import { registerOutcomes } from "./commands/outcomes.ts";
import { registerPrices } from "./commands/prices.ts";
import { registerPush } from "./commands/push.ts";
import { registerRecommend } from "./commands/recommend.ts";
import { registerReconcile } from "./commands/reconcile.ts";
import { registerReport } from "./commands/report.ts";
import { registerRetention } from "./commands/retention.ts";
import { registerRun } from "./commands/run.ts";
import { registerSimulate } from "./commands/simulate.ts";
import { registerSpend } from "./commands/spend.ts";
import { registerUp } from "./commands/up.ts";
import { registerWaste } from "./commands/waste.ts";

export function createProgram(defaultData: string): Command {
  const program = new Command("centspan")
    .description("Every cent on the span that spent it, tied to the outcome it bought.")
    .version(process.env.CENTSPAN_VERSION ?? "source")
    .showHelpAfterError("(--help lists what there is)");
  registerUp(program, defaultData);
  registerImport(program, defaultData);
  registerReport(program, defaultData);
  registerPush(program, defaultData);
  registerCost(program, defaultData);
  registerClose(program, defaultData);
  registerExport(program, defaultData);
  registerReconcile(program, defaultData);
  registerPrices(program, defaultData);
  registerCommitments(program, defaultData);
  registerSpend(program, defaultData);
  registerWaste(program, defaultData);
  registerOutcomes(program, defaultData);
  registerEval(program, defaultData);
  registerRun(program, defaultData);
  registerSimulate(program, defaultData);
  registerRecommend(program, defaultData);
  registerDoctor(program, defaultData);
  registerKeys(program, defaultData);
  registerMembers(program, defaultData);
  registerBudgets(program, defaultData);
  registerRetention(program, defaultData);
  registerMigrate(program, defaultData);
  return program;
}
