/**
 * A question from the address: the recorded calls on the engine's present settings, and with one of them changed or more traffic.
 * What is simulated is asked only where there is a question.
 */
import { CentspanError } from "@centspan/base";
import type { EngineSpellRow } from "@centspan/model";
import { prepareWhatIf, type WhatIfView } from "@centspan/ui";
import type { Page } from "../page/page.ts";
import type { Params } from "../page/params.ts";

export const FACTORS = ["0.5", "1", "1.3", "2", "4"] as const;

type Part = Record<string, unknown> & { engine?: Record<string, unknown> };

/** Settings that can be asked about; each as a simulation's configuration has it. */
const KNOBS = {
  maxSequences: (value: string): Part => ({ engine: { maxSequences: Number(value) } }),
  tokenBudget: (value: string): Part => ({ engine: { tokenBudget: Number(value) } }),
  capacityBlocks: (value: string): Part => ({ engine: { capacityBlocks: Number(value) } }),
  policy: (value: string): Part => ({ policy: value }),
  router: (value: string): Part => ({ router: { id: value } }),
  replicas: (value: string): Part => ({ replicas: Number(value) }),
};
export type Knob = keyof typeof KNOBS;
export const KNOB_NAMES: readonly Knob[] = [
  "maxSequences",
  "tokenBudget",
  "capacityBlocks",
  "policy",
  "router",
  "replicas",
];

const isKnob = (name: string | undefined): name is Knob => KNOB_NAMES.some((knob) => knob === name);

export type WhatIf = {
  /** What the engine says of itself; null where there is none: then usual settings are. */
  engine: EngineSpellRow | null;
  now: Partial<Record<Knob, string>>;
  answer: WhatIfView | { refusal: string } | null;
};

export async function loadWhatIf(page: Page): Promise<WhatIf> {
  const { api, params } = page;
  const [engine = null] = (await api.engines()).data;
  const now = engine === null ? {} : readSettings(engine);
  return { engine, now, answer: params.factor === undefined ? null : await ask(page, now, params) };
}

function readSettings({ settings, replicas }: EngineSpellRow): WhatIf["now"] {
  const { policy, router, maxSequences, tokenBudget, capacityBlocks } = settings;
  const said = { policy, router, maxSequences, tokenBudget, capacityBlocks, replicas };
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => (value === "" || value === 0 ? [] : [[name, String(value)]])),
  );
}

async function ask({ api }: Page, now: WhatIf["now"], { factor, knob, value, key }: Params): Promise<WhatIf["answer"]> {
  const changed = isKnob(knob) && value !== undefined ? { ...now, [knob]: value } : now;
  const simulate = (settings: WhatIf["now"], traffic: number) =>
    api.simulate({ config: toConfig(settings), traffic, ...(key !== undefined && { calls: { key } }) });
  try {
    return prepareWhatIf(await simulate(now, 1), await simulate(changed, Number(factor)));
  } catch (thrown) {
    if (thrown instanceof CentspanError && (thrown.code === "invalid_request" || thrown.code === "not_found"))
      return { refusal: thrown.message };
    throw thrown;
  }
}

function toConfig(settings: WhatIf["now"]): Record<string, unknown> {
  const parts = KNOB_NAMES.flatMap((knob) => {
    const value = settings[knob];
    return value === undefined ? [] : [KNOBS[knob](value)];
  });
  const engine = Object.assign({}, ...parts.map((part) => part.engine ?? {}));
  return { ...Object.assign({}, ...parts), engine };
}
