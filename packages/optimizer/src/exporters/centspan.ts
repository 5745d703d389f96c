/** Our reference engine, which takes settings while it runs. */
import { defineConfigExporter, type ExportedKnob, type SettingValue } from "@centspan/model";

/** Of lines that make up one setting together. */
const ROUTER = "router ";

/** One that the router does not know is not set. */
const weight = (name: string) => (value: SettingValue) =>
  typeof value === "number" ? [`${ROUTER}${name} ${value}`] : [];

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
    router: (value) => [`${ROUTER}id ${JSON.stringify(value)}`],
    queueWeight: weight("queueWeight"),
    decodeWeight: weight("decodeWeight"),
    activeWeight: weight("activeWeight"),
    capacityBlocks: atStart("another size of the cache", "CENTSPAN_KV_BLOCKS"),
    replicas: atStart("more or fewer replicas", "CENTSPAN_REPLICAS"),
    split: () => ({
      cannot:
        "separate prefill and decode while it runs: restart it with CENTSPAN_PREFILL_REPLICAS and CENTSPAN_DECODE_REPLICAS",
    }),
  },
  write(lines, { router }) {
    const ofRouter = lines
      .filter((line) => line.startsWith(ROUTER))
      .map((line) => line.slice(ROUTER.length).split(" "));
    const id = ofRouter.find(([name]) => name === "id")?.[1] ?? JSON.stringify(router);
    const weights = ofRouter.filter(([name]) => name !== "id").map(([name, value]) => `"${name}": ${value}`);
    const settings = weights.length === 0 ? "" : `, "settings": {${weights.join(", ")}}`;
    const whole = ofRouter.length === 0 ? [] : [`"router": {"id": ${id}${settings}}`];
    const body = [...lines.filter((line) => !line.startsWith(ROUTER)), ...whole].join(", ");
    return `curl -s -X PATCH http://127.0.0.1:4100/v1/settings -H 'content-type: application/json' -d '{${body}}'`;
  },
  notes: ["It counts from the next step; nothing is restarted."],
});
