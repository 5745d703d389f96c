/** Models by name: what their weights and their keys and values weigh, from their published configuration files. */
import { CentspanError } from "@centspan/base";

export type ServedModel = {
  id: string;
  kind: "dense" | "mixture_of_experts";
  parameters: number;
  /** Parameters that one token goes through; all of them in a dense model. */
  activeParameters: number;
  layers: number;
  hiddenSize: number;
  /** Query heads × head size. */
  attentionWidth: number;
  kvHeads: number;
  headSize: number;
  source: string;
};

const BYTES_PER_VALUE = 2;

/** Keys and values of one token in bf16. */
export const countKvBytesPerToken = ({ layers, kvHeads, headSize }: ServedModel): number =>
  2 * layers * kvHeads * headSize * BYTES_PER_VALUE;

export const countWeightBytes = ({ parameters }: ServedModel): number => parameters * BYTES_PER_VALUE;

export const MODELS: readonly ServedModel[] = [
  {
    id: "llama-3.1-8b",
    kind: "dense",
    parameters: 8.03e9,
    activeParameters: 8.03e9,
    layers: 32,
    hiddenSize: 4096,
    attentionWidth: 4096,
    kvHeads: 8,
    headSize: 128,
    source: "meta-llama/Llama-3.1-8B config.json",
  },
  {
    id: "llama-3.1-70b",
    kind: "dense",
    parameters: 70.6e9,
    activeParameters: 70.6e9,
    layers: 80,
    hiddenSize: 8192,
    attentionWidth: 8192,
    kvHeads: 8,
    headSize: 128,
    source: "meta-llama/Llama-3.1-70B config.json",
  },
  {
    id: "qwen3-32b",
    kind: "dense",
    parameters: 32.8e9,
    activeParameters: 32.8e9,
    layers: 64,
    hiddenSize: 5120,
    attentionWidth: 8192,
    kvHeads: 8,
    headSize: 128,
    source: "Qwen/Qwen3-32B config.json",
  },
  {
    id: "qwen3-30b-a3b",
    kind: "mixture_of_experts",
    parameters: 30.5e9,
    activeParameters: 3.3e9,
    layers: 48,
    hiddenSize: 2048,
    attentionWidth: 4096,
    kvHeads: 4,
    headSize: 128,
    source: "Qwen/Qwen3-30B-A3B config.json",
  },
];

export function findServedModel(id: string): ServedModel {
  const found = MODELS.find((model) => model.id === id);
  if (found) return found;
  const known = MODELS.map((model) => model.id).join(", ");
  throw new CentspanError("not_found", `no model ${JSON.stringify(id)}; known: ${known}`, { field: "model" });
}
