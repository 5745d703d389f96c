/** One right file of each format, by its id, with what it says: what the conformance suite reads, and breaks. */
const page = (results: object) => ({
  object: "page",
  data: [{ object: "bucket", start_time: 1_790_812_800, end_time: 1_790_899_200, results: [results] }],
  has_more: false,
  next_page: null,
});
const report = (results: object) => ({
  data: [{ starting_at: "2026-10-01T00:00:00Z", ending_at: "2026-10-02T00:00:00Z", results: [results] }],
  has_more: false,
  next_page: null,
});

export type Sample = { text: string; lines: [meter: string | null, quantity: number | null, usd: string | null][] };

export const SAMPLES: Readonly<Record<string, Sample>> = {
  "openai-costs": {
    text: JSON.stringify(
      page({
        object: "organization.costs.result",
        amount: { value: 0.13080438, currency: "usd" },
        line_item: "gpt-4.1-2025-04-14, cached input",
        project_id: "proj_1",
      }),
      // More places than a float has.
    ).replace("0.13080438", "0.130804380000000001"),
    lines: [["cache_read", null, "0.130804380000000001"]],
  },
  "openai-usage": {
    text: JSON.stringify(
      page({
        object: "organization.usage.completions.result",
        input_tokens: 1000,
        input_cached_tokens: 800,
        output_tokens: 500,
        num_model_requests: 5,
        project_id: "proj_1",
        user_id: null,
        api_key_id: "key_1",
        model: "gpt-4.1-2025-04-14",
        batch: null,
      }),
    ),
    lines: [
      ["input", 200, null],
      ["cache_read", 800, null],
      ["output", 500, null],
    ],
  },
  "openai-costs-csv": {
    text: [
      "start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,project_name",
      '1790812800,1790899200,,,1e-07,usd,"gpt-4.1-2025-04-14, input",proj_1,Payments',
      "1790899200,1790985600,,,,,,,",
    ].join("\n"),
    lines: [["input", null, "0.0000001"]],
  },
  "anthropic-costs": {
    text: JSON.stringify(
      report({
        amount: "123.45",
        currency: "USD",
        workspace_id: "wrkspc_1",
        description: "Claude Sonnet 4.5 Usage - Input Tokens, Cache Write",
        cost_type: "tokens",
        context_window: "0-200k",
        model: "claude-sonnet-4-5-20250929",
        service_tier: "standard",
        token_type: "cache_creation.ephemeral_1h_input_tokens",
      }),
    ),
    lines: [["cache_write_1h", null, "1.2345"]],
  },
  "anthropic-usage": {
    text: JSON.stringify(
      report({
        uncached_input_tokens: 1500,
        cache_creation: { ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 0 },
        cache_read_input_tokens: 200,
        output_tokens: 500,
        server_tool_use: { web_search_requests: 10 },
        api_key_id: "apikey_1",
        workspace_id: "wrkspc_1",
        model: "claude-sonnet-4-5-20250929",
        service_tier: "standard",
        context_window: "0-200k",
      }),
    ),
    lines: [
      ["input", 1500, null],
      ["cache_read", 200, null],
      ["cache_write_1h", 1000, null],
      ["output", 500, null],
      ["web_search", 10, null],
    ],
  },
  "anthropic-costs-csv": {
    text: [
      "\uFEFFusage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type",
      "2026-10-01,Claude Haiku 4.5,Default,demo-key,message,≤ 200k,input_no_cache,0.05,0.05,token",
    ].join("\r\n"),
    lines: [["input", null, "0.05"]],
  },
  "anthropic-usage-csv": {
    text: [
      "usage_date_utc,model_version,api_key,workspace,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count",
      "2026-10-01,claude-haiku-4-5-20251001,demo-key,Default,10,0,0,7,3,",
    ].join("\n"),
    lines: [
      ["input", 10, null],
      ["cache_read", 7, null],
      ["output", 3, null],
    ],
  },
  focus: {
    text: [
      "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodEnd,ChargePeriodStart,ConsumedQuantity,ProviderName,SkuId,Tags,x_Meter,x_Model",
      '0.25,USD,Usage,2026-10-01T15:00:00Z,2026-09-30T15:00:00Z,250000.0,OpenAI,openai/gpt-4.1/output_reasoning,"{""team"":""a \\""b\\""""}",output_reasoning,gpt-4.1',
    ].join("\n"),
    lines: [["output", 250_000, "0.25"]],
  },
};
