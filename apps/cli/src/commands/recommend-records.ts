/** `centspan recommend list`, `show`, `spend`, its steps and policies: recommendations as records on their way. */
import type { Recommendation } from "@centspan/model";
import type { Command } from "commander";
import { awaitStudy } from "../recommend/await-study.ts";
import { formatRefusals, percent } from "../recommend/report-verdict.ts";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type Common = { data: string; workspace: string; json: boolean };

export function registerRecords(recommend: Command, defaultData: string): void {
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(recommend.command(name).description(description), defaultData).option(
      "--json",
      "the answer of the Trace API",
      false,
    );
  add("list", "recommendations, newest first, with where they stand").action((options: Common) =>
    printWithWorkspace(options, async (api) => {
      const answer = await api.recommendations();
      return options.json ? JSON.stringify(answer, null, 2) : formatList(answer.data);
    }),
  );
  add("show <id>", "a recommendation whole, as JSON").action((id: string, options: Common) =>
    printWithWorkspace(options, async (api) => JSON.stringify(await api.recommendation(id), null, 2)),
  );
  add("spend", "what those who rent models can change, from the waste ledger, each with its saving a month")
    .option("--file", "file them as recommendations in the workspace", false)
    .action((options: Common & { file: boolean }) =>
      printWithWorkspace(options, async (api) => {
        const { id, result } = await awaitStudy(api, { kind: "spend", subject: options.workspace });
        const advised = result?.recommendations ?? [];
        if (options.file) for (const at of advised.keys()) await api.fileStudy(id, { at });
        return options.json
          ? JSON.stringify(advised, null, 2)
          : advised.length === 0
            ? "Nothing that saves a dollar a month."
            : formatTable(
                [
                  ["USD a month", "what", "now", "proposed"],
                  ...advised.map((one) => [
                    one.savings.cashUsdMonth,
                    one.title,
                    ...one.changes.flatMap(({ now, proposed }) => [String(now), String(proposed)]),
                  ]),
                ],
                4,
              );
      }),
    );
  add("verify <id>", "hold what came since it was applied against what was predicted; the stack's worker looks")
    .option("--from <time>", "from this time (ISO 8601) on; default: since it was applied")
    .option("--to <time>", "until this time")
    .action((id: string, options: Common & { from?: string; to?: string }) =>
      printWithWorkspace(options, async (api) => {
        const { from, to } = options;
        const after = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
        const study = await awaitStudy(api, { kind: "verification", recommendation: id, after });
        if (options.json) return JSON.stringify(study, null, 2);
        const { realised, effect } = await api.recommendation(id);
        if (realised === null) return formatRefusals(study.result?.refused ?? []);
        const isSaid = effect === null ? "" : realised.isWithinInterval ? ", as was said" : ", not as was said";
        return `${id} is verified: ${percent(realised.effect.share)} realised${isSaid}`;
      }),
    );
  for (const [step, description] of [
    ["accept", "a person says that it may be applied"],
    ["reject", "a person says that it is not to be applied"],
    ["applied", "it has been applied; only what was accepted can be"],
    ["withdraw", "it is no longer proposed"],
  ] as const)
    add(`${step} <id>`, description)
      .requiredOption("--by <name>", "the person who takes the step")
      .option("--note <text>", "why", "")
      .action((id: string, options: Common & { by: string; note: string }) =>
        printWithWorkspace(options, async (api) => {
          const answer = await api.stepRecommendation(id, step, { by: options.by, note: options.note });
          return options.json ? JSON.stringify(answer, null, 2) : `${id} is ${answer.state}`;
        }),
      );
}

/** What may be applied without a person's word. */
export function registerPolicies(recommend: Command, defaultData: string): void {
  const policies = recommend
    .command("policies")
    .description("what may be applied without a person's word: nothing, unless a policy names it");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(policies.command(name).description(description), defaultData);
  add("list", "policies, with the knobs that they are for").action((options: Common) =>
    printWithWorkspace(options, async (api) => {
      const { data } = await api.acceptancePolicies();
      if (data.length === 0) return "No policies: a person accepts each recommendation.";
      const rows = data.map(({ name, knobs, subjects }) => [name, knobs.join(", "), subjects?.join(", ") ?? "all"]);
      return formatTable([["name", "knobs", "subjects"], ...rows], 3);
    }),
  );
  add(
    "set <name>",
    "make a policy, or replace it: what is filed from now on and changes no other knobs is accepted by it",
  )
    .requiredOption("--knob <names...>", "knobs that it is for")
    .option("--subject <names...>", "pools that it is for; default: all")
    .action((name: string, options: Common & { knob: string[]; subject?: string[] }) =>
      printWithWorkspace(options, async (api) => {
        const { knob: knobs, subject: subjects } = options;
        await api.setAcceptancePolicy({ name, knobs, ...(subjects !== undefined && { subjects }) });
        return `from now on ${name} accepts changes of ${knobs.join(", ")}, of ${subjects?.join(", ") ?? "all pools"}`;
      }),
    );
  add("end <name>", "end a policy; what it accepted stays accepted").action((name: string, options: Common) =>
    printWithWorkspace(options, async (api) => {
      await api.deleteAcceptancePolicy(name);
      return `${name} accepts nothing any more`;
    }),
  );
}

const formatList = (recommendations: readonly Recommendation[]): string =>
  recommendations.length === 0
    ? "No recommendations."
    : formatTable(
        [
          ["id", "state", "what", "capacity USD a month", "cash USD a month"],
          ...recommendations.map(({ id, state, title, savings }) => [
            id,
            state,
            title,
            savings.capacityUsdMonth,
            savings.cashUsdMonth,
          ]),
        ],
        3,
      );
