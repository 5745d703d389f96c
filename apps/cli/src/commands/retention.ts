/** `centspan retention`: how long a workspace keeps what it received. */
import { SIGNALS, type Signal } from "@centspan/model";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { formatTable } from "../report.ts";
import { ACTOR, printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type RetentionOptions = { data: string; workspace: string };

const DAYS_MAX = 36_500;
const WHAT_STAYS = "Calls, charge lines and outcomes are never deleted: money is not forgotten with what spent it.";

const readDays = (text: string): number => {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= DAYS_MAX) return days;
  throw new InvalidArgumentError(`Must be a whole number of days from 1 to ${DAYS_MAX}`);
};

const signalArgument = (): Argument => new Argument("<signal>", "what is deleted").choices([...SIGNALS]);

export function registerRetention(program: Command, defaultData: string): void {
  const command = program.command("retention").description("how long spans, logs and metrics are kept");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("list", "how long each signal is kept").action((options: RetentionOptions) =>
    printWithWorkspace(options, async (_api, { control }) => {
      const policies = (await control.listRetention()).filter(({ workspace }) => workspace === options.workspace);
      const rows = SIGNALS.map((signal) => {
        const days = policies.find((policy) => policy.signal === signal)?.days;
        return [signal, days === undefined ? "for ever" : describeDays(days)];
      });
      return `${formatTable([["signal", "kept"], ...rows], 2)}\n${WHAT_STAYS}`;
    }),
  );

  add("set", "delete spans, logs or metrics that are older than some days; calls, charge lines and outcomes stay")
    .addArgument(signalArgument())
    .argument("<days>", `1 to ${DAYS_MAX}`, readDays)
    .action((signal: Signal, days: number, options: RetentionOptions) =>
      printWithWorkspace(options, async (_api, { control }) => {
        await control.setRetention(options.workspace, signal, days, ACTOR);
        return `${signal} of workspace ${options.workspace} are deleted ${describeDays(days)} after they happened. ${WHAT_STAYS}`;
      }),
    );

  add("clear", "keep a signal for ever again")
    .addArgument(signalArgument())
    .action((signal: Signal, options: RetentionOptions) =>
      printWithWorkspace(options, async (_api, { control }) => {
        await control.setRetention(options.workspace, signal, null, ACTOR);
        return `${signal} of workspace ${options.workspace} are kept for ever.`;
      }),
    );
}

const describeDays = (days: number): string => (days === 1 ? "1 day" : `${days} days`);
