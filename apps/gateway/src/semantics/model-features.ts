/**
 * What models are known not to take, by their makers' model pages and the errors their APIs answer with. Only what is certain
 * stands here: a model that is not listed, and a feature that is not named, passes and is judged by who serves it.
 * Add one: an entry; of several that match the first counts.
 */
import { matchesModel } from "@centspan/model";

export type ModelFeatures = {
  /** A `*` stands for any text. */
  pattern: string;
  images?: false;
  tools?: false;
  /** Reasoning efforts that it takes; none where the list is empty. */
  efforts?: readonly string[];
};

const LOW_TO_HIGH = ["low", "medium", "high"];

export const MODEL_FEATURES: readonly ModelFeatures[] = [
  { pattern: "gpt-3.5-*", images: false, efforts: [] },
  { pattern: "gpt-4", images: false, efforts: [] },
  { pattern: "gpt-4-0613", images: false, efforts: [] },
  { pattern: "gpt-4-turbo*", efforts: [] },
  { pattern: "gpt-4o*", efforts: [] },
  { pattern: "gpt-4.1*", efforts: [] },
  { pattern: "o1-mini*", images: false, tools: false, efforts: [] },
  { pattern: "o1-preview*", images: false, tools: false, efforts: [] },
  { pattern: "o3-mini*", images: false, efforts: LOW_TO_HIGH },
  { pattern: "o1", efforts: LOW_TO_HIGH },
  { pattern: "o3", efforts: LOW_TO_HIGH },
  { pattern: "o4-mini", efforts: LOW_TO_HIGH },
  { pattern: "gpt-5", efforts: ["minimal", ...LOW_TO_HIGH] },
  { pattern: "gpt-5-mini*", efforts: ["minimal", ...LOW_TO_HIGH] },
  { pattern: "gpt-5-nano*", efforts: ["minimal", ...LOW_TO_HIGH] },
  { pattern: "claude-3-*", efforts: [] },
  { pattern: "claude-sonnet-4-20250514", efforts: [] },
  { pattern: "claude-opus-4-20250514", efforts: [] },
  { pattern: "deepseek-chat", images: false },
  { pattern: "deepseek-reasoner", images: false },
];

export const findFeatures = (model: string): ModelFeatures | null =>
  MODEL_FEATURES.find(({ pattern }) => matchesModel(pattern, model)) ?? null;
