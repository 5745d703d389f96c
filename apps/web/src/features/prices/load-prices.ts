/** Loads the price book: cards, what was agreed on, what has no price, and a preview where the address asks for one. */
import { CentspanError, dayOf, formatInstant } from "@centspan/base";
import {
  type Commitment,
  type CostPreviewRow,
  findBillingPeriod,
  PREVIEW_GROUPS,
  type PreviewGroup,
  type PriceTermsRow,
  type RateCard,
} from "@centspan/model";
import type { Page } from "../page/page.ts";
import { readTrial, type Trial } from "./trial.ts";

const MONTHS = 12;

/** `refusal` where the terms that were tried can't be. */
export type Preview = { month: string; groupBy: PreviewGroup; trial: Trial["kind"] } & (
  | { rows: CostPreviewRow[] }
  | { refusal: string }
);

export type Prices = {
  cards: RateCard[];
  card: RateCard;
  terms: PriceTermsRow;
  commitments: Commitment[];
  /** Keys by their ids, for contracts of keys. */
  keyNames: ReadonlyMap<string, string>;
  /** Of the card's provider: models that were called without a price in the last 30 days. */
  unpriced: { model: string; calls: number }[];
  today: string;
  /** Months to preview, the newest first. */
  months: string[];
  preview: Preview | null;
};

const DAY_MS = 86_400_000;

export async function loadPrices({ api, params, nowMs }: Page): Promise<Prices> {
  const since = new Date(nowMs - 30 * DAY_MS).toISOString().slice(0, 10);
  const [{ data: cards }, terms, { data: commitments }, { timeZone }, { data: keys }, { data: providers }] =
    await Promise.all([
      api.rateCards(),
      api.priceTerms(),
      api.commitments(),
      api.billingTimeZone(),
      api.keys(),
      api.cost({ groupBy: "provider", from: since }),
    ]);
  const called = [...providers].sort((a, b) => b.calls - a.calls).map(({ group }) => group);
  const [card] = [params.provider, ...called, cards[0]?.provider].flatMap(
    (provider) => cards.find((one) => one.provider === provider) ?? [],
  );
  if (card === undefined) throw new Error("assertion failed: there is no rate card");
  const today = dayOf(timeZone, BigInt(nowMs) * 1_000_000n);
  const [models, preview] = await Promise.all([
    api.cost({ groupBy: "model", provider: card.provider, from: since }),
    params.preview === undefined ? null : previewMonth({ api, params }, { cards, terms, timeZone }, params.preview),
  ]);
  return {
    cards,
    card,
    terms,
    commitments,
    keyNames: new Map(keys.map(({ keyId, name }) => [keyId, name])),
    unpriced: models.data.flatMap(({ group, unpricedCalls }) =>
      unpricedCalls === 0 ? [] : [{ model: group, calls: unpricedCalls }],
    ),
    today,
    months: Array.from({ length: MONTHS }, (_, back) => monthBefore(today, back)),
    preview,
  };
}

function monthBefore(today: string, back: number): string {
  const [year = 0, month = 0] = today.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 7);
}

type Book = Pick<Prices, "cards" | "terms"> & { timeZone: string };

async function previewMonth(
  { api, params }: Pick<Page, "api" | "params">,
  { cards, terms, timeZone }: Book,
  month: string,
): Promise<Preview> {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new CentspanError("invalid_request", "preview: is not a month such as 2026-10", { field: "preview" });
  }
  const { fromNs, toNs } = findBillingPeriod(timeZone, month);
  const range = { from: formatInstant(fromNs), to: formatInstant(toNs) };
  const groupBy = PREVIEW_GROUPS.find((group) => group === params.by) ?? "model";
  const trial = readTrial(params, terms, cards, range.from);
  const asked = { month, groupBy, trial: trial.kind };
  if (trial.kind === "wrong") return { ...asked, rows: [] };
  try {
    const tried = trial.kind === "own" ? {} : { terms: trial.terms };
    const { data } = await api.previewPrices({ ...range, groupBy, ...tried });
    return { ...asked, rows: data };
  } catch (thrown) {
    const isRefused = thrown instanceof CentspanError && thrown.status < 500;
    if (!isRefused) throw thrown;
    return { ...asked, refusal: thrown.message };
  }
}
