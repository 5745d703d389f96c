/** `centspan prices`: what was agreed on with providers, what calls would cost by other prices, and booking them anew. */
import { readFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import {
  type ContractPrice,
  type CostPreviewRow,
  PREVIEW_GROUPS,
  type PriceTermsRow,
  priceTermsSchema,
} from "@centspan/model";
import { type Command, Option } from "commander";
import { formatTable } from "../report.ts";
import { type OpenStores, printWithStores, requireWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type PricesOptions = { data: string; workspace: string };
type RangeOptions = PricesOptions & { from: string; to: string };
type Api = ReturnType<OpenStores["apiFor"]>;

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
    withApi(options, async (api) => formatTerms(await api.priceTerms())),
  );

  add("add", "add contract prices and exchange rates, all of the file or nothing")
    .argument("<file>", "JSON: {contracts, exchangeRates}")
    .action((file: string, options: PricesOptions) =>
      withApi(options, async (api) => formatTerms(await api.addPriceTerms(readTerms(file)))),
    );

  add("end", "end a contract that has no end")
    .argument("<id>", "contract")
    .argument("<date>", "the first day on which it does not hold")
    .action((id: string, date: string, options: PricesOptions) =>
      withApi(options, async (api) => formatTerms(await api.endContract(id, date))),
    );

  addRange("preview", "what calls would cost, beside what they are booked with; changes nothing")
    .addOption(new Option("--by <group>", "what to group by").choices([...PREVIEW_GROUPS]).default("model"))
    .option("--with <file>", "terms to try in place of the workspace's own, as for `add`")
    .action((options: RangeOptions & { by: (typeof PREVIEW_GROUPS)[number]; with?: string }) =>
      withApi(options, async (api) => {
        const terms = options.with === undefined ? {} : { terms: readTerms(options.with) };
        const { from, to, by } = options;
        return formatPreview(by, (await api.previewPrices({ from, to, groupBy: by, ...terms })).data);
      }),
    );

  addRange("apply", "book calls anew, by today's cards and terms; closed months stay as they are").action(
    (options: RangeOptions) =>
      withApi(options, async (api) => {
        const { changedCalls, ratingRunId } = await api.ratePrices({ from: options.from, to: options.to });
        return `${changedCalls} calls changed (rating run ${ratingRunId})`;
      }),
  );
}

/** Names file, entry and field of everything wrong with it. */
function readTerms(file: string) {
  const refuse = (why: string, cause?: unknown): never => {
    throw new CentspanError("invalid_file", `${file}: ${why}; nothing was imported`, { cause });
  };
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    return refuse("is no JSON that can be read", cause);
  }
  const terms = priceTermsSchema.partial().safeParse(json);
  if (!terms.success)
    return refuse(terms.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  return { contracts: terms.data.contracts ?? [], exchangeRates: terms.data.exchangeRates ?? [] };
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

const withApi = ({ data, workspace }: PricesOptions, work: (api: Api) => Promise<string>): Promise<void> =>
  printWithStores(data, async (stores) => {
    await requireWorkspace(stores, workspace);
    return work(stores.apiFor(workspace));
  });
