/** What of an engine can be changed while it runs, and how it is said over HTTP. */
import { CentspanError, createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import { createRouter, type DraftModel, type RouterChoice, type Speculation } from "@centspan/serving";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";

const count = z.int().positive();

export const settingsSchema = z.strictObject({
  policy: z.string().min(1),
  maxSequences: count,
  tokenBudget: count,
  chunkedPrefill: z.boolean(),
  router: z.strictObject({ id: z.string().min(1), settings: z.record(z.string(), z.number()).optional() }),
  /** Tokens to propose with the draft model in each step; 0 is none, `auto` what gives most at the batch of the moment. */
  draftTokens: z.union([z.literal("auto"), z.int().min(0).max(16)]),
});
export type EngineSettings = z.infer<typeof settingsSchema>;

/**
 * Draft models of the modelled machine. Their sizes are those of published models; what a step of one costs is its weights
 * over the memory bandwidth, and how often each position is accepted is an assumption, as everything simulated here is.
 */
const DRAFTS: readonly DraftModel[] = [
  {
    id: "llama-3.2-1b",
    parameters: 1_235_814_400,
    stepMs: 0.92,
    sequenceMs: 0.003,
    acceptance: [0.8, 0.78, 0.75, 0.72, 0.7, 0.68, 0.66, 0.64, 0.62, 0.6, 0.58, 0.56, 0.54, 0.52, 0.5, 0.48],
  },
  {
    id: "eagle-head",
    parameters: 250_000_000,
    stepMs: 0.19,
    sequenceMs: 0.001,
    acceptance: [0.74, 0.64, 0.56, 0.49, 0.43, 0.38, 0.34, 0.3, 0.27, 0.24, 0.21, 0.19, 0.17, 0.15, 0.13, 0.12],
  },
];

export type Speculate = (draftTokens: EngineSettings["draftTokens"]) => Speculation | null;

/** `acceptance` in place of that of each draft model. */
export function createSpeculate(acceptance?: readonly number[]): Speculate {
  const drafts = acceptance === undefined ? DRAFTS : DRAFTS.map((draft) => ({ ...draft, acceptance }));
  return (draftTokens) => (draftTokens === 0 ? null : { drafts, draftTokens });
}

export type SettingsHolder = { read(): EngineSettings; change(change: unknown): EngineSettings };

/** Takes a change whole or not at all, and says which setting it refuses. */
export function holdSettings(
  cluster: Pick<Cluster, "configure" | "setRouter">,
  first: EngineSettings,
  speculate: Speculate,
): SettingsHolder {
  let settings = first;
  return {
    read: () => settings,
    change(input) {
      const parsed = settingsSchema.partial().safeParse(input);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const field = issue?.path.map(String).join(".") || "body";
        throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
      }
      const { router, policy, draftTokens, ...batch } = parsed.data;
      // What can be refused by name is asked first.
      const plugin = policy === undefined ? {} : { policy: findKvPolicy(policy) };
      if (router !== undefined) createRouter(describeRouter(router), createRandom(0));
      cluster.configure({
        ...dropAbsent(batch),
        ...plugin,
        ...(draftTokens !== undefined && { speculation: speculate(draftTokens) }),
      });
      if (router !== undefined) cluster.setRouter(describeRouter(router));
      settings = { ...settings, ...dropAbsent(parsed.data) };
      return settings;
    },
  };
}

export const describeRouter = ({ id, settings }: EngineSettings["router"]): RouterChoice =>
  settings === undefined ? { id } : { id, settings };

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function dropAbsent<T extends object>(object: T): Present<T> {
  const present: Present<T> = { ...object };
  for (const key in present) if (present[key] === undefined) delete present[key];
  return present;
}
