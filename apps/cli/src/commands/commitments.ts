/** `centspan commitments`: seats, prepaid credits, provisioned throughput and GPUs that are paid for, whatever is used. */
import type { ApiClient } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import { type Commitment, commitmentsSchema } from "@centspan/model";
import type { Command } from "commander";
import { formatSeatTable } from "../local/describe-seats.ts";
import { describeSeat, findFirstMonth } from "../local/enter-seats.ts";
import { readJson } from "../read-json.ts";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type CommitmentsOptions = { data: string; workspace: string };

export function registerCommitments(program: Command, defaultData: string): void {
  const command = program
    .command("commitments")
    .description("seats, prepaid credits, provisioned throughput and GPUs that are paid for, whatever is used");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("list", "what is paid for; what it comes to in a month is in `centspan close show`").action(
    (options: CommitmentsOptions) =>
      printWithWorkspace(options, async (api) => formatAll((await api.commitments()).data)),
  );

  add("use", "what seats cost, what usage of them is worth by the token, and how much of them was idle").action(
    (options: CommitmentsOptions) =>
      printWithWorkspace(options, async (api) => formatSeatTable((await api.seats()).data)),
  );

  add("add", "add commitments, all of the file or nothing, from a month that is open on")
    .argument("<file>", "JSON: a list of commitments")
    .action((file: string, options: CommitmentsOptions) =>
      printWithWorkspace(options, async (api) =>
        formatAll((await api.addCommitments(readJson(file, commitmentsSchema))).data),
      ),
    );

  add("seat", "say that a seat pays for a provider's usage, from the first month that is open on")
    .requiredOption("--provider <name>", "whose usage it covers, such as anthropic or openai")
    .requiredOption("--plan <name>", "what the plan is called")
    .requiredOption("--per-month <amount>", "what a seat costs a month, in US dollars")
    .option("--seats <n>", "how many", "1")
    .option("--from <day>", "its first day; default: the first of the month of the first call")
    .action((options: CommitmentsOptions & SeatOptions) =>
      printWithWorkspace(options, async (api) => {
        const seat = describeSeat(options, options.from ?? (await requireFirstMonth(api)));
        return formatAll((await api.addCommitments(seat)).data);
      }),
    );

  add("end", "end a commitment that has no end, on a day of a month that is open")
    .argument("<id>", "commitment")
    .argument("<date>", "the first day on which it does not hold")
    .action((id: string, date: string, options: CommitmentsOptions) =>
      printWithWorkspace(options, async (api) => formatAll((await api.endCommitment(id, date)).data)),
    );

  add("remove", "take a mistaken commitment back, of which no closed month knows")
    .argument("<id>", "commitment")
    .action((id: string, options: CommitmentsOptions) =>
      printWithWorkspace(options, async (api) => formatAll((await api.removeCommitment(id)).data)),
    );
}

type SeatOptions = { provider: string; plan: string; perMonth: string; seats: string; from?: string };

async function requireFirstMonth(api: ApiClient): Promise<string> {
  const first = await findFirstMonth(api);
  if (first !== null) return first;
  throw new CentspanError("invalid_request", "--from: is missing, and there is no call yet to take the month from", {
    field: "from",
  });
}

function describePayment(commitment: Commitment): string {
  const { currency = "USD" } = commitment;
  switch (commitment.kind) {
    case "seats":
      return `${commitment.seats} seats of ${commitment.plan} at ${commitment.perSeatMonth} ${currency} a month`;
    case "credits":
      return `${commitment.amount} ${currency} in advance`;
    case "provisioned": {
      const { units, perUnit, per, tokensPerMinute } = commitment;
      return `${units} units of ${tokensPerMinute} tokens a minute at ${perUnit} ${currency} a ${per}`;
    }
    case "gpus":
      return `${commitment.gpus} GPUs at ${commitment.perGpuHour} ${currency} an hour, ${commitment.basis}`;
  }
}

const formatAll = (commitments: readonly Commitment[]): string =>
  commitments.length === 0
    ? "Nothing is committed: usage is paid by the token. Commitments come from a file: centspan commitments add FILE"
    : formatTable(
        [
          ["commitment", "for", "provider", "model", "from", "to", "paid"],
          ...commitments.map((one) => [
            one.id,
            one.scope === "org" ? "all" : `${one.scope} ${one.scopeIds.join(", ")}`,
            one.provider,
            one.model,
            one.from,
            one.to ?? "–",
            describePayment(one),
          ]),
        ],
        7,
      );
