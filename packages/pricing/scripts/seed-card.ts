/**
 * `npm run seed-card -- PROVIDER [genai|catalogue]`: rows for a new card, as the source states them. What it can't know
 * is for whoever keeps the card: from when on a price holds, who counts how, and that the provider's own page agrees.
 */
import { readCatalogue, readGenaiPrices, type StatedPrice } from "./price-sources.ts";

const [provider = "", source = "genai"] = process.argv.slice(2);
const stated = source === "genai" ? readGenaiPrices(provider) : readCatalogue([provider]);

const writeRow = ({ models, from, hours, above, meters }: StatedPrice): string => {
  const { web_search, ...perMillion } = meters;
  const when = {
    ...(hours && { hours }),
    ...(above > 0 && { context: { comparator: ">", tokens: above } }),
  };
  return JSON.stringify({
    models,
    from: from ?? "?",
    ...(Object.keys(when).length > 0 && { when }),
    perMillion,
    ...(web_search !== undefined && { perThousand: { web_search } }),
  });
};

for (const price of stated) if (price.meters.input !== undefined) console.log(`${writeRow(price)},`);
