/** For tests only: budgets of keys of their own, and prices that make their amounts known. */
import { formatDecimal } from "@centspan/base";
import { type BudgetInput, budgetInputSchema, type PriceBook } from "@centspan/model";
import { listPrices } from "@centspan/pricing";
import { type Call, type GatewayClient, RESPONSES } from "./gateway-client.ts";
import type { GatewaySettings, TestGateway } from "./open-test-gateway.ts";

/** Of the engine's models: prompts of the tests count exactly, so that amounts are known. */
export const PRICES: PriceBook = {
  ...listPrices,
  cards: [
    {
      id: "tests",
      describe: "prices of tests",
      provider: "centspan",
      entries: ["m", "m-2026"].flatMap((model) => [
        {
          ...{ id: model, model, from: "2020-01-01", source: "test", checkedOn: "2026-11-30" },
          perMillion: {
            ...{ input: "100", cache_read: "10", cache_write_5m: "100", cache_write_1h: "200" },
            output_text: "1000",
          },
          ...(model === "m" && { perThousand: { web_search: "10" } }),
        },
        {
          ...{ id: `${model} long`, model, from: "2020-01-01", source: "test", checkedOn: "2026-11-30" },
          when: { context: { comparator: ">" as const, tokens: 1_000 } },
          perMillion: { input: "200", cache_read: "20", cache_write_5m: "200", output_text: "1500" },
        },
      ]),
    },
  ],
};

/** Opens a key with a budget of its own, at a gateway that has heard of both. */
export function createBudgetOpener(test: TestGateway, client: GatewayClient) {
  let made = 0;
  return async (change: Partial<BudgetInput> = {}, settings: GatewaySettings = {}) => {
    const { secret, keyId } = await test.createKey();
    const input = { name: `b${++made}`, scope: "key", subject: keyId, period: "month", limitUsd: "1" };
    const budget = await test.control.createBudget(
      test.workspace,
      { ...budgetInputSchema.parse(input), ...change },
      "tests",
    );
    const url = await test.open({ prices: PRICES, ...settings });
    const headers = { authorization: `Bearer ${secret}` };
    const read = async () => {
      const all = await test.control.listBudgetAccounts([{ budgetId: budget.budgetId, from: periodOf(budget) }], 10);
      return all.map(({ subject, spentUsd, reservedUsd }) => [
        subject,
        formatDecimal(spentUsd),
        formatDecimal(reservedUsd),
      ]);
    };
    return {
      budget,
      keyId,
      url,
      headers,
      read,
      ask: (call: Call = limited(RESPONSES, 100), more = {}) => client.post(call, { ...headers, ...more }, url),
    };
  };
}

export const periodOf = ({ period }: Pick<BudgetInput, "period">): Date => {
  const now = new Date();
  return period === "life" ? new Date(0) : new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
};

export const limited = ({ path, body }: typeof RESPONSES, tokens: number) => ({
  path,
  body: { ...body, max_output_tokens: tokens },
});
