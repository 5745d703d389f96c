/** `centspan spend`: what spend will be, which days were odd, and why it changed. */
import type { ApiClient } from "@centspan/api";
import { DAILY_SPEND_GROUPS } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatAnomalies, formatChange, formatForecast } from "../report-spend.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type Common = { data: string; workspace: string; json: boolean };
type History = Common & { by: string; tz: string };

export function registerSpend(program: Command, defaultData: string): void {
  const spend = program.command("spend").description("what spend will be, which days were odd, and why it changed");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(spend.command(name).description(description), defaultData).option(
      "--json",
      "the answer of the Trace API",
      false,
    );
  const addHistory = (name: string, description: string): Command =>
    add(name, description)
      .addOption(new Option("--by <group>", "what to group by").choices([...DAILY_SPEND_GROUPS]).default("team"))
      .option("--tz <zone>", "IANA time zone that days are in", "UTC");

  addHistory("forecast", "what the month will have cost at its end, with an 80% interval")
    .option("--until <day>", "last day of the period (the last of this month)")
    .action((options: History & { until?: string }) =>
      print(options, async (api) => {
        const answer = await api.costForecast({ groupBy: options.by, tz: options.tz, until: options.until });
        return [answer, formatForecast(answer, options.by)];
      }),
    );
  addHistory("anomalies", "days that cost far more or less than days of that name before").action((options: History) =>
    print(options, async (api) => {
      const answer = await api.costAnomalies({ groupBy: options.by, tz: options.tz });
      return [answer, formatAnomalies(answer, options.by)];
    }),
  );
  add("change", "why a period cost more or less than the equally long one before it: price, volume, mix")
    .requiredOption("--from <instant>", "begin of the period, such as 2026-12-01")
    .requiredOption("--to <instant>", "its end, exclusive")
    .action((options: Common & { from: string; to: string }) =>
      print(options, async (api) => {
        const answer = await api.costChange({ from: options.from, to: options.to });
        return [answer, formatChange(answer)];
      }),
    );
}

const print = (options: Common, ask: (api: ApiClient) => Promise<[answer: object, text: string]>): Promise<void> =>
  printWithWorkspace(options, async (api) => {
    const [answer, text] = await ask(api);
    return options.json ? JSON.stringify(answer, null, 2) : text;
  });
