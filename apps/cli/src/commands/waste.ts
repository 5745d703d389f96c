/** `centspan waste`: what was paid for twice, by whose work, and what to fix first. */
import type { ApiClient } from "@centspan/api";
import { WASTE_GROUPS } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatBalance, formatFixes, formatItems, formatWaste } from "../report-waste.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type Common = { data: string; workspace: string; json: boolean };
type Range = Common & { from?: string; to?: string };

export function registerWaste(program: Command, defaultData: string): void {
  const waste = program.command("waste").description("what was paid for twice, by whose work, and what to fix first");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(waste.command(name).description(description), defaultData).option(
      "--json",
      "the answer of the Trace API",
      false,
    );
  const addInRange = (name: string, description: string): Command =>
    add(name, description)
      .option("--from <instant>", "begin of the range, such as 2026-12-01")
      .option("--to <instant>", "its end, exclusive");

  addInRange("sum", "what was paid for twice, by group, and what of all spend that is")
    .addOption(new Option("--by <group>", "what to group by").choices([...WASTE_GROUPS]).default("cause"))
    .action((options: Range & { by: string }) =>
      print(options, async (api) => {
        const answer = await api.waste({ groupBy: options.by, from: options.from, to: options.to });
        return [answer, formatWaste(answer, options.by)];
      }),
    );
  addInRange("top", "the five things to fix first, what each saves in a month, and the runs that prove it").action(
    (options: Range) =>
      print(options, async (api) => {
        const answer = await api.wasteTop({ from: options.from, to: options.to });
        return [answer, formatFixes(answer.data)];
      }),
  );
  addInRange("items", "single calls that paid for something twice, the dearest first")
    .option("--cause <id>", "of this cause alone")
    .option("--limit <n>", "how many", "20")
    .action((options: Range & { cause?: string; limit: string }) =>
      print(options, async (api) => {
        const { from, to, cause, limit } = options;
        const answer = await api.wasteItems({ from, to, cause, limit });
        return [answer, formatItems(answer.data)];
      }),
    );
  add("balance <traceId>", "one run's balance sheet: paid, useful, and what was repeated or failed by cause").action(
    (traceId: string, options: Common) =>
      print(options, async (api) => {
        const answer = await api.balance(traceId);
        return [answer, formatBalance(answer)];
      }),
  );
}

const print = (options: Common, ask: (api: ApiClient) => Promise<[answer: object, text: string]>): Promise<void> =>
  printWithWorkspace(options, async (api) => {
    const [answer, text] = await ask(api);
    return options.json ? JSON.stringify(answer, null, 2) : text;
  });
