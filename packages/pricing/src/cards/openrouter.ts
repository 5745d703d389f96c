/**
 * OpenRouter passes on what the models' makers ask, so `vendor/model` is priced by the maker's card. What it says itself
 * that a call cost (`usage.cost`) is kept beside. Its fee is on credits bought, no part of a call's price.
 */
import { defineRateCard } from "@centspan/model";

export default defineRateCard({
  id: "openrouter",
  describe: "OpenRouter, at the makers' prices",
  provider: "openrouter",
  passThrough: {
    anthropic: "anthropic",
    deepseek: "deepseek",
    google: "google",
    mistralai: "mistral",
    openai: "openai",
    "x-ai": "xai",
  },
  entries: [],
});
