/**
 * Terms to try: what was agreed on, and one more agreement on top of it, from the address. Pure. An agreement of the whole
 * organisation about the same calls gives way to it; those of teams and keys stay, and go before it as they always do.
 */
import type { ContractPrice, PriceTerms, RateCard } from "@centspan/model";
import type { Params } from "../page/params.ts";

export type Trial = { kind: "own" } | { kind: "wrong" } | { kind: "trial"; terms: PriceTerms };

/** "-12.5": so many percent below the list; "5": above it. */
const PERCENT = /^([+-]?)(\d{1,3}(?:\.\d{1,4})?)$/;

/** Of an entry with conditions, for calls under the same ones. */
function readTerms(
  { tryPercent, tryEntry }: Params,
  cards: readonly RateCard[],
): Pick<ContractPrice, "terms" | "when"> | null {
  if (tryEntry !== undefined) {
    const entry = cards.flatMap(({ entries }) => entries).find(({ id }) => id === tryEntry);
    if (entry === undefined) return null;
    const { currency, perMillion, perThousand, when } = entry;
    return {
      ...(when === undefined ? {} : { when }),
      terms: {
        kind: "absolute",
        perMillion,
        ...(currency === undefined ? {} : { currency }),
        ...(perThousand === undefined ? {} : { perThousand }),
      },
    };
  }
  const [, sign, percent] = PERCENT.exec((tryPercent ?? "").replace("−", "-")) ?? [];
  if (percent === undefined) return null;
  return { terms: sign === "-" ? { kind: "percent_off", percent } : { kind: "markup", percent } };
}

export function readTrial(params: Params, own: PriceTerms, cards: readonly RateCard[], from: string): Trial {
  const { tryProvider, tryModel = "*", tryPercent, tryEntry } = params;
  if (tryPercent === undefined && tryEntry === undefined) return { kind: "own" };
  const tried = readTerms(params, cards);
  if (tried === null || tryProvider === undefined) return { kind: "wrong" };
  const trial: ContractPrice = {
    ...{ id: "trial", scope: "org", scopeId: "", provider: tryProvider, model: tryModel, from },
    ...{ ...tried, source: "tried on the price page" },
  };
  const stays = ({ id, scope, provider, model }: ContractPrice): boolean =>
    id !== trial.id && !(scope === "org" && provider === tryProvider && model === tryModel);
  return { kind: "trial", terms: { ...own, contracts: [...own.contracts.filter(stays), trial] } };
}
