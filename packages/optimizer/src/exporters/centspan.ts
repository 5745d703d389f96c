/** Our reference engine, which takes settings while it runs. */
import { defineConfigExporter, type ExportedKnob, type SettingValue } from "@centspan/model";

const setting = (name: string) => (value: SettingValue) => [`${JSON.stringify(name)}: ${JSON.stringify(value)}`];
const atStart =
  (what: string, variable: string) =>
  (value: SettingValue): ExportedKnob => ({
    cannot: `${what} while it runs: restart it with ${variable}=${value}`,
  });

export default defineConfigExporter({
  id: "centspan",
  describe: "Centspan's reference engine",
  knobs: {
    policy: setting("policy"),
    maxSequences: setting("maxSequences"),
    tokenBudget: setting("tokenBudget"),
    chunkedPrefill: setting("chunkedPrefill"),
    draftTokens: setting("draftTokens"),
    router: (value) => [`"router": ${JSON.stringify({ id: value })}`],
    capacityBlocks: atStart("another size of the cache", "CENTSPAN_KV_BLOCKS"),
    replicas: atStart("more or fewer replicas", "CENTSPAN_REPLICAS"),
    split: () => ({
      cannot:
        "separate prefill and decode while it runs: restart it with CENTSPAN_PREFILL_REPLICAS and CENTSPAN_DECODE_REPLICAS",
    }),
  },
  write: (lines) =>
    `curl -s -X PATCH http://127.0.0.1:4100/v1/settings -H 'content-type: application/json' -d '{${lines.join(", ")}}'`,
  notes: ["It counts from the next step; nothing is restarted."],
});
