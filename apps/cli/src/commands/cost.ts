/** `centspan cost`: cost per passing outcome of a running stack, in the terminal. */
import { OUTCOME_GROUPS } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatOutcomeCosts } from "../report.ts";
import { DEFAULT_WORKSPACE, printWithWorkspace } from "../stores.ts";

type CostOptions = { data: string; by: string; workspace: string; json: boolean };

export function registerCost(program: Command, defaultData: string): void {
  program
    .command("cost")
    .description("cost per passing outcome, failed attempts included, with its 95% interval")
    .addOption(new Option("--by <group>", "what to group by").choices([...OUTCOME_GROUPS]).default("team"))
    .option("--workspace <id>", "workspace", DEFAULT_WORKSPACE)
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .option("--json", "the answer of GET /api/v1/outcomes/cost", false)
    .action((options: CostOptions) =>
      printWithWorkspace(options, async (api) => {
        const answer = await api.outcomesCost({ groupBy: options.by });
        return options.json
          ? JSON.stringify(answer, null, 2)
          : formatOutcomeCosts(options.by, answer.data, answer.total);
      }),
    );
}
