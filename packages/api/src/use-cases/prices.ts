/**
 * Prices that a workspace agreed on, what its calls would cost by others, and the rating run that books them anew. A
 * preview writes nothing; a run leaves what closed months have billed, unless it is told to correct it in the open one.
 */
import { CentspanError, deriveId, formatDecimal } from "@centspan/base";
import { normaliseProvider } from "@centspan/dialects";
import {
  costPreviewRowSchema,
  exchangeRateSchema,
  nameActor,
  PREVIEW_GROUPS,
  type PriceBook,
  type PriceTable,
  type PriceTerms,
  priceTermsRowSchema,
  priceTermsSchema,
  type RatedCall,
  rateCardSchema,
  ratingRunRowSchema,
  type TimeRange,
} from "@centspan/model";
import { findScopes, rateCall, rateCards, tabulatePrices, validatePriceBook } from "@centspan/pricing";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute, parseInput } from "../route.ts";

type Scope = { deps: ApiDeps; caller: Caller };

function check(terms: PriceTerms): void {
  validatePriceBook({ cards: rateCards, ...terms });
  for (const { id, provider } of terms.contracts) requireKnownSpelling("contracts", id, provider);
}

/** What is agreed on with a provider that no call names would price nothing, without a word. */
export function requireKnownSpelling(list: string, id: string, provider: string): void {
  const ours = normaliseProvider(provider, "");
  if (ours === provider) return;
  const field = `${list}.${id}.provider`;
  throw new CentspanError("invalid_request", `${field}: ${provider} is written ${ours} here`, { field });
}
const toRow = ({ contracts, exchangeRates }: PriceTerms) => ({
  contracts: [...contracts],
  exchangeRates: [...exchangeRates],
});

export const listRateCards = defineRoute({
  id: "listRateCards",
  method: "GET",
  path: "/prices/cards",
  summary: "The bundled list prices: dated entries with where they come from and when that was checked",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(rateCardSchema), nextCursor: z.null() }),
  run: async () => ({ data: [...rateCards], nextCursor: null }),
});

export const listPriceTerms = defineRoute({
  id: "listPriceTerms",
  method: "GET",
  path: "/prices/terms",
  summary: "Contract prices and exchange rates of the workspace",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: priceTermsRowSchema,
  run: async ({ deps, caller }) => toRow(await deps.control.readPriceTerms(caller.workspace)),
});

export const addPriceTerms = defineRoute({
  id: "addPriceTerms",
  method: "POST",
  path: "/prices/terms",
  summary:
    "Adds contract prices and exchange rates, all or nothing. They price calls from now on; a rating run applies them to those that are booked",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.strictObject({
    contracts: priceTermsSchema.shape.contracts.default([]),
    exchangeRates: priceTermsSchema.shape.exchangeRates.default([]),
  }),
  answer: priceTermsRowSchema,
  async run({ deps, caller: { workspace, principal }, body }) {
    await deps.control.addPriceTerms(workspace, body, nameActor(principal), check);
    return toRow(await deps.control.readPriceTerms(workspace));
  },
});

export const endContract = defineRoute({
  id: "endContract",
  method: "PUT",
  path: "/prices/contracts/{id}/end",
  summary: "Ends a contract that has no end: from then on the next wider one holds, or the list",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.strictObject({ to: z.string() }),
  answer: priceTermsRowSchema,
  async run({ deps, caller: { workspace, principal }, params, body: { to } }) {
    const id = params.id ?? "";
    const { contracts, exchangeRates } = await deps.control.readPriceTerms(workspace);
    check({ contracts: contracts.map((one) => (one.id === id ? { ...one, to } : one)), exchangeRates });
    await deps.control.endContract(workspace, id, to, nameActor(principal));
    return toRow(await deps.control.readPriceTerms(workspace));
  },
});

export const correctExchangeRate = defineRoute({
  id: "correctExchangeRate",
  method: "PUT",
  path: "/prices/exchange-rates/{currency}/{from}",
  summary:
    "Says a rate that was mistyped anew, from the same instant on. What is booked by it stays until a rating run",
  needs: "prices.write",
  query: z.strictObject({}),
  body: exchangeRateSchema.pick({ usd: true, source: true }),
  answer: priceTermsRowSchema,
  async run({ deps, caller: { workspace, principal }, params, body }) {
    const rate = parseInput(exchangeRateSchema, { ...params, ...body }, "");
    await deps.control.correctExchangeRate(workspace, rate, nameActor(principal));
    return toRow(await deps.control.readPriceTerms(workspace));
  },
});

const rangeBody = { from: instantParam, to: instantParam };

export const previewPrices = defineRoute({
  id: "previewPrices",
  method: "POST",
  path: "/prices/preview",
  summary: "What calls would cost by today's cards and other terms, beside what they are booked with. Writes nothing",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.strictObject({
    ...rangeBody,
    groupBy: z.enum(PREVIEW_GROUPS).default("model"),
    terms: priceTermsSchema.optional().describe("in place of the workspace's own"),
  }),
  answer: z.object({ data: z.array(costPreviewRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, body: { groupBy, terms, ...body } }) {
    const rating = await tabulate({ deps, caller }, body, terms);
    const previews = await deps.warehouse.previewCosts(caller.workspace, { ...rating, groupBy });
    const data = previews.map(({ bookedUsd, previewedUsd, ...same }) => ({
      ...same,
      bookedUsd: formatDecimal(bookedUsd),
      previewedUsd: formatDecimal(previewedUsd),
      differenceUsd: formatDecimal(previewedUsd.minus(bookedUsd)),
    }));
    return { data, nextCursor: null };
  },
});

export const ratePrices = defineRoute({
  id: "ratePrices",
  method: "POST",
  path: "/prices/rating-runs",
  summary:
    "Books the calls of a time anew, by today's cards and terms. What closed months have billed stays; what they had no price for is billed in the open one",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.strictObject({
    ...rangeBody,
    correctClosed: z
      .boolean()
      .default(false)
      .describe("bill in the open month by how much closed months have billed otherwise"),
  }),
  answer: ratingRunRowSchema,
  async run({ deps, caller, body }) {
    const { workspace, principal } = caller;
    const { book, ...rating } = await tabulate({ deps, caller }, body);
    const ratingRunId = deriveId("rating", JSON.stringify(book));
    const correct = (call: RatedCall): RatedCall => rateCall(call, book, ratingRunId);
    const run = { ...rating, ratingRunId, ...(body.correctClosed ? { correct } : {}) };
    const rated = await deps.warehouse.rateCalls(workspace, run);
    await deps.control.writeAudit(workspace, {
      actor: nameActor(principal),
      action: "calls.rated",
      subject: ratingRunId,
      details: { ...rated, fromNs: body.from.toString(), toNs: body.to.toString() },
    });
    return { ratingRunId, ...rated };
  },
});

async function tabulate(
  { deps, caller: { workspace } }: Scope,
  { from, to }: { from: bigint; to: bigint },
  terms?: PriceTerms,
): Promise<{ book: PriceBook; table: PriceTable; range: TimeRange }> {
  if (from >= to) throw new CentspanError("invalid_request", "body.to: must be after from", { field: "body.to" });
  const book = { cards: rateCards, ...(terms ?? (await deps.control.readPriceTerms(workspace))) };
  if (terms) check(terms);
  const range = { fromNs: from, toNs: to };
  const classes = await deps.warehouse.listCallClasses(workspace, { range, scopes: findScopes(book) });
  return { book, table: tabulatePrices(book, classes, range), range };
}
