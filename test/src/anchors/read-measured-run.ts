/** Measured vLLM runs (casys-kaist/LLMServingSim, MIT) as the maintainers keep them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MeasuredRun } from "@centspan/serving";

type Row = {
  request_id: string;
  input_toks: number;
  output_toks: number;
  queued_ts: number;
  first_token_ts: number;
  last_token_ts: number;
};

type Meta = { engine_kwargs: { max_num_seqs: number; max_num_batched_tokens: number; data_parallel_size: number } };

/** `capacityBlocks`: KV blocks of 16 tokens, which most of the recordings do not name. */
export function readMeasuredRun(folder: string, name: string, capacityBlocks: number): MeasuredRun {
  const path = (suffix: string): string => join(folder, `serving/measured/llmservingsim_${name}_vllm_${suffix}`);
  const meta: Meta = JSON.parse(readFileSync(path("meta.json"), "utf8"));
  const rows = readFileSync(path("requests.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Row => JSON.parse(line))
    .sort((a, b) => a.queued_ts - b.queued_ts);
  const originS = rows[0]?.queued_ts ?? 0;
  const toNs = (seconds: number): number => Math.round((seconds - originS) * 1e9);
  return {
    requests: rows.map((row) => ({
      id: row.request_id,
      arrivalNs: toNs(row.queued_ts),
      promptTokens: row.input_toks,
      outputTokens: row.output_toks,
      // Prompts of independent chats share nothing.
      blockKeys: [],
      firstTokenNs: toNs(row.first_token_ts),
      finishedNs: toNs(row.last_token_ts),
    })),
    config: {
      blockTokens: 16,
      capacityBlocks,
      maxSequences: meta.engine_kwargs.max_num_seqs,
      tokenBudget: meta.engine_kwargs.max_num_batched_tokens,
    },
    engine: {
      kind: name.includes("A3B") ? "mixture_of_experts" : "dense",
      dataParallel: meta.engine_kwargs.data_parallel_size,
    },
  };
}

/** KV blocks beside the weights in 90% of 96 GB a card. The runs never come near it. */
const blocksOf = (cards: number, weightBytes: number, kvBytesPerToken: number): number =>
  Math.floor((cards * 96e9 * 0.9 - weightBytes) / (16 * kvBytesPerToken));

export const DENSE_RUNS = [
  {
    title: "Llama-3.1-8B on RTX PRO 6000",
    name: "RTXPRO6000_Llama-3.1-8B",
    capacityBlocks: blocksOf(1, 16.06e9, 131_072),
  },
  {
    title: "Qwen3-32B TP2 on RTX PRO 6000",
    name: "RTXPRO6000_Qwen3-32B",
    capacityBlocks: blocksOf(2, 65.6e9, 262_144),
  },
  { title: "Llama-3.1-8B on RTX 4090", name: "RTX4090_Llama-3.1-8B", capacityBlocks: 2_588 },
] as const;
