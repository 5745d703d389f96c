/** `centspan budgets`: what keys, teams, task types and runs may spend. */
import { CentspanError } from "@centspan/base";
import { BUDGET_PERIODS, type BudgetRow, budgetInputSchema, EACH_SUBJECT } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type WorkspaceOptions = { data: string; workspace: string };
type Subject = Partial<Record<"key" | "team" | "taskType" | "run", string>>;
type BudgetOptions = WorkspaceOptions &
  Subject & {
    limit?: string;
    per?: string;
    tz?: string;
    soft?: boolean;
    hard?: boolean;
    allowUnpriced?: boolean;
    refuseUnpriced?: boolean;
    alertAt?: string[];
    forecast?: boolean;
    webhook?: string;
    email?: string[];
  };

const EXAMPLE = `
A subject is a key's id, a team, a task type or a run; "${EACH_SUBJECT}" is each of them by itself:
  centspan budgets create ci --team platform --limit 200 --per month --tz Europe/Berlin
  centspan budgets create runaway --run "${EACH_SUBJECT}" --limit 5 --per life`;

export function registerBudgets(program: Command, defaultData: string): void {
  const command = program.command("budgets").description("what keys, teams, task types and runs may spend");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("list", "budgets with what is spent and held of them now").action((options: WorkspaceOptions) =>
    printWithWorkspace(options, async (api) => describeBudgets((await api.budgets()).data)),
  );

  addBudgetOptions(add("create", "make a budget; it counts from then on"))
    .argument("<name>", "lower-case letters, digits, dots, dashes")
    .addHelpText("after", EXAMPLE)
    .action((name: string, options: BudgetOptions) =>
      printWithWorkspace(options, async (api) => {
        const made = await api.createBudget(readBudget({ name, period: "month" }, options));
        return `${made.name} (${made.budgetId}) counts within ten seconds`;
      }),
    );

  addBudgetOptions(add("set", "change what is named of a budget"))
    .argument("<name>", "a name from `centspan budgets list`")
    .action((name: string, options: BudgetOptions) =>
      printWithWorkspace(options, async (api) => {
        const {
          budgetId,
          createdAt: _at,
          from: _from,
          resetsAt: _to,
          subjects: _subjects,
          ...before
        } = find((await api.budgets()).data, name);
        await api.replaceBudget(budgetId, readBudget(before, options));
        return `${name} is changed; it counts within ten seconds`;
      }),
    );

  add("delete", "end a budget, and forget what was spent of it")
    .argument("<name>", "a name from `centspan budgets list`")
    .action((name: string, options: WorkspaceOptions) =>
      printWithWorkspace(options, async (api) => {
        const { budgetId } = find((await api.budgets()).data, name);
        await api.deleteBudget(budgetId);
        return `${name} is no more; gateways forget it within ten seconds`;
      }),
    );
}

const addBudgetOptions = (command: Command): Command =>
  command
    .option("--limit <usd>", "an amount such as 12.50")
    .option("--key <id>", "a key's id, or * for each key by itself")
    .option("--team <id>", "a team, or *")
    .option("--task-type <type>", "a type of task, or *")
    .option("--run <id>", "a run, or *")
    .addOption(new Option("--per <period>", "when it begins anew; life: never").choices([...BUDGET_PERIODS]))
    .option("--tz <zone>", "IANA time zone of its days (UTC)")
    .addOption(new Option("--soft", "only count and alert").conflicts("hard"))
    .option("--hard", "refuse what does not fit, as it does unless told otherwise")
    .addOption(new Option("--allow-unpriced", "let models pass that have no price").conflicts("refuseUnpriced"))
    .option("--refuse-unpriced", "refuse them, as it does unless told otherwise")
    .option("--alert-at <percent...>", "tell when so much is spent (80 100)")
    .option("--forecast", "tell when the period is going to end above the limit, as it does unless told otherwise")
    .option("--no-forecast", "don't")
    .option("--webhook <url>", "where to tell it; the gateway has to know its host")
    .option("--email <address...>", "whom to tell it");

/** What is named takes the place of what was before; all of it is checked where budgets are kept. */
function readBudget(before: Partial<Omit<BudgetRow, "budgetId">>, options: BudgetOptions) {
  const { limit, per, tz, soft, hard, allowUnpriced, refuseUnpriced } = options;
  const { alertAt, forecast, webhook, email } = options;
  const subjects = (["key", "team", "taskType", "run"] as const).flatMap((scope) => {
    const subject = options[scope];
    return subject === undefined ? [] : [{ scope, subject }];
  });
  if (subjects.length > 1) throw new CentspanError("invalid_request", "name one of --key, --team, --task-type, --run");
  const given = budgetInputSchema.safeParse({
    ...before,
    ...subjects[0],
    ...(limit !== undefined && { limitUsd: limit }),
    ...(per !== undefined && { period: per }),
    ...(tz !== undefined && { timeZone: tz }),
    ...((soft || hard) && { enforcement: soft ? "soft" : "hard" }),
    ...((allowUnpriced || refuseUnpriced) && { unpriced: allowUnpriced ? "allow" : "refuse" }),
    alerts: {
      ...before.alerts,
      ...(alertAt !== undefined && { thresholds: alertAt.map(Number) }),
      ...(forecast !== undefined && { forecast }),
      ...(webhook !== undefined && { webhook }),
      ...(email !== undefined && { email }),
    },
  });
  if (given.success) return given.data;
  const [issue] = given.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
}

function find(budgets: readonly BudgetRow[], name: string): BudgetRow {
  const found = budgets.find((budget) => budget.name === name);
  if (found === undefined) throw new CentspanError("not_found", `There is no budget named ${name} in this workspace.`);
  return found;
}

const SCOPES = { key: "key", team: "team", taskType: "task type", run: "run" } as const;
const NO_BUDGET = "No budget yet. One is made by: centspan budgets create NAME --team TEAM --limit USD --per month";
const HEAD = ["name", "counts", "per", "subject", "spent", "held", "limit", "forecast", "resets"];

function describeBudgets(budgets: readonly BudgetRow[]): string {
  const rows = budgets.flatMap((budget) => {
    const { name, scope, subject, enforcement, period, timeZone, limitUsd, resetsAt, subjects } = budget;
    const counts = `${SCOPES[scope]} ${subject}${enforcement === "soft" ? ", soft" : ""}`;
    const per = period === "life" ? "life" : `${period}, ${timeZone}`;
    const shown =
      subjects.length > 0 ? subjects : [{ subject: "–", spentUsd: "0", reservedUsd: "0", forecastUsd: null }];
    return shown.map((one) => [
      ...[name, counts, per, one.subject, one.spentUsd, one.reservedUsd, limitUsd],
      ...[one.forecastUsd ?? "–", resetsAt ?? "never"],
    ]);
  });
  return rows.length === 0 ? NO_BUDGET : formatTable([HEAD, ...rows], 4);
}
