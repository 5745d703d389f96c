/** `centspan prices`: what was agreed on with providers, what calls would cost by other prices, and booking them anew. */
import {
  type ContractPrice,
  type CostPreviewRow,
  type OccupancyRow,
  PREVIEW_GROUPS,
  type PriceTermsRow,
  priceTermsSchema,
  type RatingRunRow,
} from "@centspan/model";
import { type Command, Option } from "commander";
import { readJson } from "../read-json.ts";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type PricesOptions = { data: string; workspace: string };
type RangeOptions = PricesOptions & { from: string; to: string };

export function registerPrices(program: Command, defaultData: string): void {
  const command = program
    .command("prices")
    .description("contract prices, exchange rates, and what calls would cost by others");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);
  const addRange = (name: string, description: string): Command =>
    add(name, description)
      .requiredOption("--from <instant>", "first instant or day, such as 2026-10-01")
      .requiredOption("--to <instant>", "the instant or day after the last");

  add("list", "what was agreed on").action((options: PricesOptions) =>
    printWithWorkspace(options, async (api) => formatTerms(await api.priceTerms())),
  );

  add("add", "add contract prices and exchange rates, all of the file or nothing")
    .argument("<file>", "JSON: {contracts, exchangeRates}")
    .action((file: string, options: PricesOptions) =>
      printWithWorkspace(options, async (api) => formatTerms(await api.addPriceTerms(readTerms(file)))),
    );

  add("end", "end a contract that has no end")
    .argument("<id>", "contract")
    .argument("<date>", "the first day on which it does not hold")
    .action((id: string, date: string, options: PricesOptions) =>
      printWithWorkspace(options, async (api) => formatTerms(await api.endContract(id, date))),
    );

  add("correct-rate", "say a mistyped exchange rate anew; what is booked by it stays until `apply`")
    .argument("<currency>", "such as EUR")
    .argument("<from>", "from when on it was said to hold, as it is listed")
    .argument("<usd>", "what one unit is worth")
    .requiredOption("--source <document>", "where it comes from")
    .action((currency: string, from: string, usd: string, options: PricesOptions & { source: string }) =>
      printWithWorkspace(options, async (api) =>
        formatTerms(await api.correctExchangeRate({ currency, from, usd, source: options.source })),
      ),
    );

  addRange("preview", "what calls would cost, beside what they are booked with; changes nothing")
    .addOption(new Option("--by <group>", "what to group by").choices([...PREVIEW_GROUPS]).default("model"))
    .option("--with <file>", "terms to try in place of the workspace's own, as for `add`")
    .action((options: RangeOptions & { by: (typeof PREVIEW_GROUPS)[number]; with?: string }) =>
      printWithWorkspace(options, async (api) => {
        const terms = options.with === undefined ? {} : { terms: readTerms(options.with) };
        const { from, to, by } = options;
        return formatPreview(by, (await api.previewPrices({ from, to, groupBy: by, ...terms })).data);
      }),
    );

  addRange("apply", "book calls anew, by today's cards and terms; what closed months have billed stays")
    .option("--correct-closed", "bill in the open month by how much closed months have billed otherwise", false)
    .action(({ from, to, correctClosed, ...options }: RangeOptions & { correctClosed: boolean }) =>
      printWithWorkspace(options, async (api) => formatRun(await api.ratePrices({ from, to, correctClosed }))),
    );

  addRange("occupancy", "how long tokens occupy the replicas of your own engines: the terms of `gpu_hours`").action(
    (options: RangeOptions) =>
      printWithWorkspace(options, async (api) =>
        formatOccupancy((await api.occupancy({ from: options.from, to: options.to })).data),
      ),
  );
}

function readTerms(file: string) {
  const { contracts = [], exchangeRates = [] } = readJson(file, priceTermsSchema.partial());
  return { contracts, exchangeRates };
}

function describeTerms({ terms }: ContractPrice): string {
  switch (terms.kind) {
    case "percent_off":
      return `${terms.percent}% off the list`;
    case "markup":
      return `${terms.percent}% above the list`;
    case "gpu_hours":
      return `${terms.gpus} GPUs at ${terms.perGpuHour} ${terms.currency ?? "USD"} an hour, ${terms.basis}`;
    case "absolute":
      return Object.entries(terms.perMillion)
        .map(([meter, price]) => `${meter} ${price}`)
        .join(", ")
        .concat(` ${terms.currency ?? "USD"} per million`);
  }
}

const formatTerms = ({ contracts, exchangeRates }: PriceTermsRow): string =>
  contracts.length + exchangeRates.length === 0 ? LIST_PRICES_ONLY : formatAgreed({ contracts, exchangeRates });

const LIST_PRICES_ONLY = "Nothing is agreed: list prices count. Terms come from a file: centspan prices add FILE";

const formatAgreed = ({ contracts, exchangeRates }: PriceTermsRow): string =>
  [
    formatTable(
      [
        ["contract", "for", "provider", "model", "from", "to", "terms"],
        ...contracts.map((one) => [
          one.id,
          one.scope === "org" ? "all" : `${one.scope} ${one.scopeId}`,
          one.provider,
          one.model,
          one.from,
          one.to ?? "–",
          describeTerms(one),
        ]),
      ],
      7,
    ),
    ...exchangeRates.map(({ currency, from, usd, source }) => `1 ${currency} = ${usd} USD from ${from} (${source})`),
  ].join("\n");

const formatOccupancy = (rows: readonly OccupancyRow[]): string =>
  rows.length === 0
    ? "No engine said anything of its steps in that time."
    : [
        formatTable(
          [
            ["service", "basis", "replicas", "busy seconds", "tokens prefilled", "tokens generated"],
            ...rows.map(({ service, basis, replicas, busySeconds, prefillTokens, decodeTokens }) => [
              service,
              basis,
              String(replicas),
              busySeconds,
              String(prefillTokens),
              String(decodeTokens),
            ]),
          ],
          2,
        ),
        ...rows.map(
          ({ service, basis, secondsPerMillion }) => `${service}: ${JSON.stringify({ basis, secondsPerMillion })}`,
        ),
      ].join("\n");

function formatRun({ ratingRunId, changedCalls, closedCalls, correctedCalls }: RatingRunRow): string {
  const stays = closedCalls === 0 ? "" : `; closed months have billed ${closedCalls} others otherwise, which stays`;
  const corrected = correctedCalls === 0 ? "" : `; ${correctedCalls} of closed months are corrected in the open one`;
  return `${changedCalls} calls changed (rating run ${ratingRunId})${stays}${corrected}`;
}

const formatPreview = (group: string, rows: readonly CostPreviewRow[]): string =>
  formatTable([
    [group, "calls", "booked USD", "would cost USD", "difference USD", "unpriced", "would be"],
    ...rows.map((row) => [
      row.group === "" ? "–" : row.group,
      String(row.calls),
      row.bookedUsd,
      row.previewedUsd,
      row.differenceUsd,
      String(row.unpricedBefore),
      String(row.unpricedAfter),
    ]),
  ]);
