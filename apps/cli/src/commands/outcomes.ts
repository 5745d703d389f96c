/** `centspan outcomes`: what the money bought, whether a difference is certain, and what is not linked. */
import { CentspanError } from "@centspan/base";
import {
  COMPLETION_FACTS,
  completionRuleSchema,
  OUTCOME_GROUPS,
  type OutcomeSubject,
  WORK_GROUPS,
} from "@centspan/model";
import { type Command, Option } from "commander";
import { locateStores } from "../connection.ts";
import { formatTable } from "../report.ts";
import {
  describeComparison,
  describeReturns,
  describeTasks,
  describeUnlinked,
  describeWork,
} from "../report-outcomes.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type WorkspaceOptions = { data: string; workspace: string };
type CohortOptions = WorkspaceOptions & {
  by?: string;
  from?: string;
  to?: string;
  tz?: string;
  maturity?: string;
};

const addCohortOptions = (command: Command): Command =>
  command
    .option("--from <instant>", "ISO 8601, inclusive")
    .option("--to <instant>", "ISO 8601, exclusive")
    .option("--tz <zone>", "IANA time zone of days")
    .option(
      "--maturity <days>",
      "only outcomes in so many days after a task's first call count; younger tasks are pending",
    );

const byOption = (): Option => new Option("--by <group>", "what to group by").choices([...OUTCOME_GROUPS]);

const toQuery = ({ by, from, to, tz, maturity }: CohortOptions) => ({
  groupBy: by,
  from,
  to,
  tz,
  maturityDays: maturity,
});

const RULE_EXAMPLE = `
A condition is FACT=VALUE, FACT!=VALUE, FACT<=NUMBER, FACT>=NUMBER or !FACT (absent). Facts: ${COMPLETION_FACTS.join(", ")},
and attribute:NAME of a run's root:
  centspan outcomes rules create answered --task-type chat --when finishReason=stop "errors<=0" --otherwise failed`;

export function registerOutcomes(program: Command, defaultData: string): void {
  const command = program.command("outcomes").description("what the money bought, and what is not linked");
  const add = (parent: Command, name: string, description: string): Command =>
    addWorkspaceOptions(parent.command(name).description(description), defaultData);

  addCohortOptions(add(command, "tasks", "tasks with spend, outcome, what linked them and who answers for them"))
    .addOption(byOption())
    .option("--status <status>", "passed, failed, partial, unknown or pending")
    .option("--limit <n>", "at most so many, the newest", "50")
    .action((options: CohortOptions & { status?: string; limit: string }) =>
      printWithWorkspace(options, async (api) => {
        const { status, limit } = options;
        const { data, total } = await api.outcomeTasks({ ...toQuery(options), status, limit });
        return describeTasks(data, total);
      }),
    );

  addCohortOptions(add(command, "compare [a] [b]", "two groups side by side, and whether a difference is shown"))
    .addOption(byOption())
    .option("--split <instant>", "instead of groups: tasks begun before it and since")
    .action((a: string | undefined, b: string | undefined, options: CohortOptions & { split?: string }) =>
      printWithWorkspace(options, async (api) =>
        describeComparison(await api.compareOutcomes({ ...toQuery(options), a, b, split: options.split })),
      ),
    );

  addCohortOptions(add(command, "returns", "what each further attempt bought, and what spending more for a task gets"))
    .addOption(byOption())
    .action((options: CohortOptions) =>
      printWithWorkspace(options, async (api) => describeReturns(await api.outcomeReturns(toQuery(options)))),
    );

  add(
    command,
    "work",
    "what each pull request or branch cost: up to its first passing test run and after, and what became of it",
  )
    .addOption(new Option("--by <group>", "what to group by").choices([...WORK_GROUPS]).default("pullRequest"))
    .option("--from <instant>", "ISO 8601, inclusive")
    .option("--to <instant>", "ISO 8601, exclusive")
    .action(({ by, from, to, ...options }: WorkspaceOptions & { by: string; from?: string; to?: string }) =>
      printWithWorkspace(options, async (api) => describeWork(await api.costOfWork({ groupBy: by, from, to }))),
    );

  addCohortOptions(
    add(command, "unlinked", "spend without an outcome, outcomes without spend, what is parked or was refused"),
  )
    .option("--limit <n>", "at most so many of each", "20")
    .action((options: CohortOptions & { limit: string }) =>
      printWithWorkspace(options, async (api) =>
        describeUnlinked(await api.unlinkedOutcomes({ ...toQuery(options), limit: options.limit })),
      ),
    );

  add(command, "link <outcome> [tasks...]", "say which tasks an outcome is of; of none it counts nowhere").action(
    (outcome: string, tasks: string[], options: WorkspaceOptions) =>
      printWithWorkspace(options, async (api) => {
        await api.linkOutcome(outcome, tasks);
        return tasks.length === 0 ? `${outcome} counts nowhere now` : `${outcome} is of ${tasks.join(", ")}`;
      }),
  );

  registerApproval(
    add(command, "ask-approval <question>", "make a link by which a person approves or refuses work, once"),
  );
  registerRates(command.command("review-rates").description("what an hour of review costs"), add);
  registerRules(command.command("rules").description("when a finished run counts as completed"), add);
}

type Add = (parent: Command, name: string, description: string) => Command;
type ApprovalOptions = WorkspaceOptions & OutcomeSubject & { hours: string; maxMinutes: string };

function registerApproval(command: Command): void {
  command
    .option("--task <id>", "what it is about")
    .option("--run-id <id>", "a run")
    .option("--trace-id <id>", "a trace")
    .option("--pull-request <name>", "such as acme/shop#12")
    .option("--hours <n>", "how long the link is good for", "72")
    .option("--max-minutes <n>", "most review minutes that may be said", "480")
    .action((question: string, options: ApprovalOptions) =>
      printWithWorkspace(options, async (api) => {
        const { task, runId, traceId, pullRequest } = options;
        const { path, expiresAt } = await api.askApproval({
          subject: { task, runId, traceId, pullRequest },
          question,
          validHours: Number(options.hours),
          maxReviewMinutes: Number(options.maxMinutes),
        });
        const { webUrl } = locateStores(options.data);
        return `${webUrl ?? ""}${path}\nGood for one decision, until ${expiresAt}. Who has it decides: send it to one person.`;
      }),
    );
}

function registerRates(command: Command, add: Add): void {
  add(command, "list", "rates by team").action((options: WorkspaceOptions) =>
    printWithWorkspace(options, async (api) => {
      const { data } = await api.reviewRates();
      const rows = data.map(({ team, usdPerHour }) => [team || "(no team)", usdPerHour]);
      return rows.length === 0
        ? "No rate yet: minutes of review are in no amount."
        : formatTable([["team", "USD per hour"], ...rows]);
    }),
  );
  add(command, "set <team> <usd>", "say what an hour of a team's review costs, of the past too").action(
    (team: string, usdPerHour: string, options: WorkspaceOptions) =>
      printWithWorkspace(options, async (api) => {
        await api.setReviewRate({ team, usdPerHour });
        return `an hour of ${team} costs ${usdPerHour} USD`;
      }),
  );
}

type RuleOptions = WorkspaceOptions & { taskType?: string; when: string[]; status: string; otherwise?: string };

function registerRules(command: Command, add: Add): void {
  add(command, "list", "rules with their conditions").action((options: WorkspaceOptions) =>
    printWithWorkspace(options, async (api) => {
      const { data } = await api.completionRules();
      const rows = data.map(({ name, taskType, status, otherwise, when }) => [
        ...[name, taskType ?? "every", status, otherwise ?? "nothing"],
        when.map(({ fact, is, value }) => `${fact} ${is.replace("_", " ")} ${value}`.trim()).join(", "),
      ]);
      const head = ["name", "task type", "then", "otherwise", "when"];
      return rows.length === 0 ? "No rule yet." : formatTable([head, ...rows], 5);
    }),
  );
  add(command, "create <name>", "make a rule, for runs that there are too")
    .requiredOption("--when <conditions...>", "conditions, all of which have to hold")
    .option("--task-type <type>", "only runs of it")
    .option("--status <status>", "what such a run is", "passed")
    .option("--otherwise <status>", "what any other run of the task type is")
    .addHelpText("after", RULE_EXAMPLE)
    .action((name: string, options: RuleOptions) =>
      printWithWorkspace(options, async (api) => {
        const { taskType, status, otherwise, when } = options;
        const rule = completionRuleSchema.safeParse({
          name,
          taskType,
          status,
          otherwise,
          when: when.map(readCondition),
        });
        if (!rule.success)
          throw new CentspanError(
            "invalid_request",
            `${rule.error.issues[0]?.path.join(".")}: ${rule.error.issues[0]?.message}`,
          );
        await api.createCompletionRule(rule.data);
        return `${name} counts within some seconds`;
      }),
    );
  add(command, "delete <name>", "end a rule; what it decided stays").action((name: string, options: WorkspaceOptions) =>
    printWithWorkspace(options, async (api) => {
      await api.deleteCompletionRule(name);
      return `${name} is no more`;
    }),
  );
}

const COMPARISONS = { "=": "equal", "!=": "not_equal", "<=": "at_most", ">=": "at_least" } as const;

function readCondition(text: string): object {
  if (text.startsWith("!")) return { fact: text.slice(1), is: "absent" };
  const [, fact, sign = "", value = ""] = /^([^=!<>]+)(<=|>=|!=|=)(.*)$/s.exec(text) ?? [];
  const is = Object.entries(COMPARISONS).find(([written]) => written === sign)?.[1];
  if (fact !== undefined && is !== undefined) return { fact, is, value };
  throw new CentspanError(
    "invalid_request",
    `--when: ${text} is none of FACT=VALUE, FACT!=VALUE, FACT<=N, FACT>=N, !FACT`,
  );
}
