import { defineWasteCause, type SpanRecord } from "@centspan/model";
import { readFlag, secondsOf } from "../attributes.ts";

const LEAST_SECONDS = 0.1;

export default defineWasteCause({
  id: "serial_tools",
  title: "Serial tool round trips",
  describe: "Tool calls of one turn that only read ran one after the other.",
  remedy: "Run calls that only read beside each other, or call them from one program.",
  layer: "harness",
  kind: "repeated",
  rank: 100,
  *find({ turns }) {
    for (const { tools, calls } of turns) {
      const [at] = calls;
      const groups = groupSerial(tools).filter((group) => lossOf(group) >= LEAST_SECONDS);
      if (at === undefined || groups.length === 0) continue;
      yield {
        at,
        seconds: groups.reduce((sum, group) => sum + lossOf(group), 0),
        confidence: "certain",
        evidence: { spanIds: groups.flat().map(({ spanId }) => spanId), tools: groups.flat().map(({ name }) => name) },
      };
    }
  },
});

/** Neighbours that only read and did not overlap. */
function groupSerial(tools: readonly SpanRecord[]): SpanRecord[][] {
  const groups: SpanRecord[][] = [];
  let open: SpanRecord[] = [];
  for (const tool of tools) {
    const last = open.at(-1);
    const reads = readFlag(tool.attributes, "centspan.tool.read_only");
    if (!reads || (last !== undefined && tool.startedAtNs < last.endedAtNs)) open = [];
    if (!reads) continue;
    if (open.length === 0) groups.push(open);
    open.push(tool);
  }
  return groups;
}

/** Beside each other they take as long as the longest. */
const lossOf = (group: readonly SpanRecord[]): number => {
  const seconds = group.map(secondsOf);
  return seconds.reduce((sum, each) => sum + each, 0) - Math.max(...seconds);
};
