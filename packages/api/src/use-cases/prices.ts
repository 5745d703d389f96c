/**
 * Prices that a workspace agreed on, what its calls would cost by others, and the rating run that books them anew. A
 * preview writes nothing; a run leaves closed months as they are.
 */
import { CentspanError, deriveId, formatDecimal } from "@centspan/base";
import {
  costPreviewRowSchema,
  PREVIEW_GROUPS,
  type PriceBook,
  type PriceTable,
  type PriceTerms,
  priceTermsRowSchema,
  priceTermsSchema,
  type TimeRange,
} from "@centspan/model";
import { findScopes, rateCards, tabulatePrices, validatePriceBook } from "@centspan/pricing";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";

type Scope = { deps: ApiDeps; caller: Caller };

const check = (terms: PriceTerms): void => validatePriceBook({ cards: rateCards, ...terms });
const toRow = ({ contracts, exchangeRates }: PriceTerms) => ({
  contracts: [...contracts],
  exchangeRates: [...exchangeRates],
});

export const listPriceTerms = defineRoute({
  id: "listPriceTerms",
  method: "GET",
  path: "/prices/terms",
  summary: "Contract prices and exchange rates of the workspace",
  allow: ["api"],
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
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject({
    contracts: priceTermsSchema.shape.contracts.default([]),
    exchangeRates: priceTermsSchema.shape.exchangeRates.default([]),
  }),
  answer: priceTermsRowSchema,
  async run({ deps, caller: { workspace, principal }, body }) {
    await deps.control.addPriceTerms(workspace, body, principal.keyName, check);
    return toRow(await deps.control.readPriceTerms(workspace));
  },
});

export const endContract = defineRoute({
  id: "endContract",
  method: "PUT",
  path: "/prices/contracts/{id}/end",
  summary: "Ends a contract that has no end: from then on the next wider one holds, or the list",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject({ to: z.string() }),
  answer: priceTermsRowSchema,
  async run({ deps, caller: { workspace, principal }, params, body: { to } }) {
    const id = params.id ?? "";
    const { contracts, exchangeRates } = await deps.control.readPriceTerms(workspace);
    check({ contracts: contracts.map((one) => (one.id === id ? { ...one, to } : one)), exchangeRates });
    await deps.control.endContract(workspace, id, to, principal.keyName);
    return toRow(await deps.control.readPriceTerms(workspace));
  },
});

const rangeBody = { from: instantParam, to: instantParam };

export const previewPrices = defineRoute({
  id: "previewPrices",
  method: "POST",
  path: "/prices/preview",
  summary: "What calls would cost by today's cards and other terms, beside what they are booked with. Writes nothing",
  allow: ["api"],
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
  summary: "Books the calls of a time anew, by today's cards and terms; those of closed months stay as they are",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.strictObject(rangeBody),
  answer: z.object({ ratingRunId: z.string(), changedCalls: z.int() }),
  async run({ deps, caller, body }) {
    const { workspace, principal } = caller;
    const { book, ...rating } = await tabulate({ deps, caller }, body);
    const ratingRunId = deriveId("rating", JSON.stringify(book));
    const changedCalls = await deps.warehouse.rateCalls(workspace, { ...rating, ratingRunId });
    await deps.control.writeAudit(workspace, {
      actor: principal.keyName,
      action: "calls.rated",
      subject: ratingRunId,
      details: { changedCalls, fromNs: body.from.toString(), toNs: body.to.toString() },
    });
    return { ratingRunId, changedCalls };
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
