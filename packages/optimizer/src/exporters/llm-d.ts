/** llm-d's endpoint picker, whose configuration is a file that it reads at its start. */
import { defineConfigExporter, type ExportedKnob } from "@centspan/model";

/** Plug-ins by what they look at, and their weights in the one profile. */
const PROFILES: Readonly<Record<string, readonly string[]>> = {
  "prefix-affinity": ["precise-prefix-cache-scorer 3", "queue-scorer 2"],
  "estimated-prefix": ["prefix-cache-scorer 3", "queue-scorer 2"],
  "least-load": ["queue-scorer 1"],
};

const ofServers = (what: string) => (): ExportedKnob => ({
  cannot: `${what}: a setting of the model servers; see vllm or sglang`,
});

const weightless = (what: string) => (): ExportedKnob => ({ cannot: `${what}: weights are of whole scorers here` });

export default defineConfigExporter({
  id: "llm-d",
  describe: "llm-d",
  knobs: {
    router: (value) => PROFILES[String(value)] ?? { cannot: `router ${value}: no scorer of llm-d does that` },
    queueWeight: weightless("weight of prompt tokens in line"),
    decodeWeight: weightless("weight of decoding blocks"),
    activeWeight: weightless("weight of active requests"),
    maxSequences: ofServers("sequences in a batch"),
    tokenBudget: ofServers("tokens in a step"),
    chunkedPrefill: ofServers("prompts in pieces"),
    policy: ofServers("eviction order"),
    draftTokens: ofServers("draft length"),
    priorities: ofServers("priority classes"),
    replicas: () => ({ cannot: "replicas: of the model servers' deployment" }),
  },
  write(lines) {
    const scorers = lines.map((line) => line.split(" "));
    return [
      "apiVersion: llm-d.ai/v1alpha1",
      "kind: EndpointPickerConfig",
      "plugins:",
      ...scorers.map(([type]) => `- type: ${type}`),
      "- type: max-score-picker",
      "schedulingProfiles:",
      "- name: default",
      "  plugins:",
      ...scorers.flatMap(([type, weight]) => [`  - pluginRef: ${type}`, `    weight: ${weight}`]),
      "  - pluginRef: max-score-picker",
    ].join("\n");
  },
  notes: ["The endpoint picker reads its configuration at its start: restart it."],
});
