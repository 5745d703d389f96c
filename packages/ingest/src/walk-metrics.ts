/**
 * The metrics of a scope, and the points of each, which are its records.
 * Invariants: a metric that can't be read refuses its points, and counts as one where it shows none, so that it is not
 * lost in silence. What a metric says of its points may stand behind them on the wire.
 */
import { BadValue, seenFrom } from "./admission.ts";
import type { Decoder } from "./decoder.ts";
import type { RecordLists } from "./record-lists.ts";
import { RECORDS, type ReadList } from "./walk-export.ts";

/** The kinds of data by the number that the decoder gives them: their field's tag in the metric, and its name. */
const KINDS = [
  { tag: 0x2a, name: "gauge" },
  { tag: 0x3a, name: "sum" },
  { tag: 0x4a, name: "histogram" },
  { tag: 0x52, name: "exponentialHistogram" },
  { tag: 0x5a, name: "summary" },
] as const;
const POINT = 0x0a;

export function createMetricWalk({ wasm, readString }: Decoder, lists: RecordLists): ReadList {
  /** Points that are refused with their metric if its frame turns out to be broken. */
  let unread = 0;

  function readMetric(path: string): void {
    const start = wasm.position();
    const kind = KINDS[wasm.readMetricHead()];
    const badText = readString(wasm.badMetricText());
    // Text that is no text is a problem of all the points, which are still to be counted.
    if (badText !== "") lists.problem ??= new BadValue("invalid_text", "must be UTF-8", `${path}.${badText}`);
    if (kind === undefined) return;
    lists.prefix = `${path}.${kind.name}.`;
    wasm.moveTo(start);
    for (let index = 0; wasm.seek(kind.tag, 0) !== 0; ) {
      const outer = wasm.enter();
      const data = wasm.position();
      try {
        wasm.readDataHead();
      } finally {
        unread = wasm.pointCount();
      }
      unread = 0;
      wasm.moveTo(data);
      index = lists.read(POINT, "dataPoints", index);
      wasm.leave(outer);
    }
  }

  return (list) => {
    for (let index = 0; wasm.seek(RECORDS, 0) !== 0; index++) {
      const { prefix, problem, tally } = lists;
      const path = `${prefix}${list}[${index}]`;
      const refused = tally.rejected;
      unread = 0;
      const outer = wasm.enter();
      const end = wasm.end();
      try {
        readMetric(path);
      } catch (thrown) {
        const broken = seenFrom(path, thrown);
        if (!(broken instanceof BadValue)) throw thrown;
        for (let left = Math.max(unread, 1); left > 0; left--) tally.refuse(broken);
      }
      if (lists.problem !== null && lists.problem !== problem && tally.rejected === refused)
        tally.refuse(lists.problem);
      lists.problem = problem;
      lists.prefix = prefix;
      wasm.setEnd(end);
      wasm.leave(outer);
    }
  };
}
