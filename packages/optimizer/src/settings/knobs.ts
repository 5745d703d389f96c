/**
 * What can be set, as data: for each knob what it is called, which values it takes, and how it is read from and written
 * into a simulation's settings. A value that a knob can't take is refused by name. Add one: an entry.
 */
import { CentspanError } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import { findRouter, type SimulationConfig, type StepTimeCoefficients } from "@centspan/serving";

/** What is searched over: an engine's settings, and whether it is told who waits for an answer. */
export type Settings = SimulationConfig & { priorities: boolean };

export type KnobValue = string | number | boolean;

/** Machines that a replica may be spread over, by name: each with the step times that are known for it. */
export type Machines = Readonly<
  Record<string, { tensorParallel: number; stepTime: string | StepTimeCoefficients; capacityBlocks: number | null }>
>;

export type Knob = {
  describe: string;
  /** What the numbers count; null where values are names or switches. */
  unit: string | null;
  read(settings: Settings, machines: Machines): KnobValue;
  /** Throws `invalid_request` or `not_found` naming the knob. */
  write(settings: Settings, value: KnobValue, machines: Machines): Settings;
};

/** What is not set: derived from the hardware, or unknown to the router. Written, it leaves things as they are. */
const UNSET = "unset";

const refuse = (knob: string, message: string): never => {
  throw new CentspanError("invalid_request", `${knob}: ${message}`, { field: `space.${knob}` });
};

function readCount(knob: string, value: KnobValue, least: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  return refuse(knob, `must be a whole number of at least ${least}, not ${JSON.stringify(value)}`);
}

function readWord(knob: string, value: KnobValue): string {
  return typeof value === "string" ? value : refuse(knob, `must be a name, not ${JSON.stringify(value)}`);
}

function readSwitch(knob: string, value: KnobValue): boolean {
  return typeof value === "boolean" ? value : refuse(knob, `must be true or false, not ${JSON.stringify(value)}`);
}

const ofEngine = (name: "maxSequences" | "tokenBudget" | "capacityBlocks", describe: string, unit: string): Knob => ({
  describe,
  unit,
  read: ({ engine }) => engine[name] ?? UNSET,
  write: (settings, value) =>
    value === UNSET ? settings : { ...settings, engine: { ...settings.engine, [name]: readCount(name, value, 1) } },
});

const readRouterSetting = ({ router }: Settings, name: string): KnobValue =>
  router.settings[name] ?? findRouter(router.id).defaults[name] ?? UNSET;

const routerSetting = (name: string, describe: string): Knob => ({
  describe,
  unit: null,
  read: (settings) => readRouterSetting(settings, name),
  write(settings, value) {
    if (value === UNSET || value === readRouterSetting(settings, name)) return settings;
    if (typeof value !== "number" || !Number.isFinite(value)) return refuse(name, "must be a number");
    const { router } = settings;
    // A router that does not know the weight goes without it: the same settings under another name are not searched twice.
    if (!(name in findRouter(router.id).defaults)) return settings;
    return { ...settings, router: { ...router, settings: { ...router.settings, [name]: value } } };
  },
});

/** In the order in which they are written: a router before its weights. */
export const KNOBS = {
  machine: {
    describe: "what a replica is spread over",
    unit: null,
    read: ({ tensorParallel }, machines) =>
      Object.entries(machines).find(([, machine]) => machine.tensorParallel === tensorParallel)?.[0] ?? "present",
    write(settings, value, machines) {
      const machine = machines[readWord("machine", value)];
      if (machine === undefined)
        return refuse(
          "machine",
          `no step times are known for ${JSON.stringify(value)}; known: ${Object.keys(machines).join(", ") || "none"}`,
        );
      const { tensorParallel, stepTime, capacityBlocks } = machine;
      return { ...settings, tensorParallel, stepTime, engine: { ...settings.engine, capacityBlocks } };
    },
  },
  replicas: {
    describe: "engines beside each other",
    unit: "replicas",
    read: ({ replicas }) => replicas,
    write: (settings, value) => ({ ...settings, replicas: readCount("replicas", value, 1) }),
  },
  /** "2+6": replicas that compute prompts, and replicas that decode. "none": each does both. */
  split: {
    describe: "replicas for prompts and replicas for decoding",
    unit: null,
    read: ({ separate }) => (separate === null ? "none" : `${separate.prefillReplicas}+${separate.decodeReplicas}`),
    write(settings, value) {
      const word = readWord("split", value);
      if (word === "none") return { ...settings, separate: null };
      const parts = /^(\d+)\+(\d+)$/.exec(word);
      if (parts === null) return refuse("split", `must be none, or replicas such as 2+6, not ${JSON.stringify(value)}`);
      const transfer = settings.separate ?? { latencyMs: 1, bytesPerS: 50e9 };
      const separate = {
        ...transfer,
        prefillReplicas: readCount("split", Number(parts[1]), 1),
        decodeReplicas: readCount("split", Number(parts[2]), 1),
      };
      return { ...settings, separate };
    },
  },
  policy: {
    describe: "KV eviction order",
    unit: null,
    read: ({ policy }) => policy,
    write: (settings, value) => ({ ...settings, policy: findKvPolicy(readWord("policy", value)).id }),
  },
  capacityBlocks: ofEngine("capacityBlocks", "KV blocks on the accelerator", "blocks"),
  hostBlocks: {
    describe: "KV blocks kept in the memory of the host",
    unit: "blocks",
    read: ({ hostTier }) => hostTier?.capacityBlocks ?? 0,
    write(settings, value) {
      const capacityBlocks = readCount("hostBlocks", value, 0);
      if (capacityBlocks === 0) return { ...settings, hostTier: null };
      return { ...settings, hostTier: { readLatencyMs: 0.1, bytesPerS: 25e9, ...settings.hostTier, capacityBlocks } };
    },
  },
  maxSequences: ofEngine("maxSequences", "sequences in a batch", "sequences"),
  tokenBudget: ofEngine("tokenBudget", "tokens that a step may compute", "tokens"),
  chunkedPrefill: {
    describe: "prompts computed in pieces beside decoding",
    unit: null,
    read: ({ engine }) => engine.chunkedPrefill,
    write: (settings, value) => ({
      ...settings,
      engine: { ...settings.engine, chunkedPrefill: readSwitch("chunkedPrefill", value) },
    }),
  },
  router: {
    describe: "which replica a request goes to",
    unit: null,
    read: ({ router }) => router.id,
    write(settings, value) {
      const { id } = findRouter(readWord("router", value));
      return id === settings.router.id ? settings : { ...settings, router: { id, settings: {} } };
    },
  },
  queueWeight: routerSetting("queueWeight", "router: weight of prompt tokens in line"),
  decodeWeight: routerSetting("decodeWeight", "router: weight of a decoding block"),
  activeWeight: routerSetting("activeWeight", "router: weight of an active request"),
  draftTokens: {
    describe: "tokens that a draft model proposes in a step",
    unit: "tokens",
    read: ({ speculation }) => speculation?.draftTokens ?? 0,
    write(settings, value) {
      const { speculation } = settings;
      if (value === 0) return { ...settings, speculation: null };
      const draftTokens = value === "auto" ? value : readCount("draftTokens", value, 0);
      if (speculation === null)
        return refuse("draftTokens", "no draft model's acceptance is known: say it in speculation.drafts");
      return { ...settings, speculation: { ...speculation, draftTokens } };
    },
  },
  priorities: {
    describe: "requests that nobody waits for give way to people",
    unit: null,
    read: ({ priorities }) => priorities,
    write: (settings, value) => ({ ...settings, priorities: readSwitch("priorities", value) }),
  },
} satisfies Record<string, Knob>;

export type KnobId = keyof typeof KNOBS;

export const isKnob = (id: string): id is KnobId => Object.hasOwn(KNOBS, id);

export const KNOB_IDS: readonly KnobId[] = Object.keys(KNOBS).filter(isKnob);
