/**
 * The envelope that all signals share: Export…Request → resources → scopes → records.
 * A resource may follow its records on the wire, so it is looked for first; repeats are merged. Likewise a scope.
 */
import type { Signal } from "@centspan/model";
import { BadBody, BadValue, seenFrom } from "./admission.ts";
import type { Exports } from "./decoder-exports.ts";
import type { RecordLists } from "./record-lists.ts";

const NAMES = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
} as const satisfies Record<Signal, readonly [string, string, string]>;

/** Field 1 of both envelopes is what the records share, field 2 the list. */
const SHARED = 0x0a;
export const RECORDS = 0x12;

/** Reads the records of a scope. */
export type ReadList = (list: string) => unknown;

export function walkExport(wasm: Exports, signal: Signal, lists: RecordLists, readList: ReadList): void {
  const [resources, scopes, records] = NAMES[signal];
  try {
    eachMessage(wasm, SHARED, ["", resources], (index) => {
      const path = `${resources}[${index}]`;
      descend(wasm, path, () => {
        lists.problem = null;
        wasm.startResource();
        readShared(wasm, `${path}.resource`, ["", "resource", scopes], lists, wasm.readResource);
        const shared = lists.problem;
        if (shared === null) wasm.closeResource();
        else wasm.dropResource();
        eachMessage(wasm, RECORDS, [], (scopeIndex) => {
          const scopePath = `${scopes}[${scopeIndex}]`;
          descend(wasm, scopePath, () => {
            lists.problem = shared;
            lists.prefix = `${path}.${scopePath}.`;
            wasm.startScope();
            readShared(wasm, `${path}.${scopePath}.scope`, ["", "scope", records], lists, wasm.readScope);
            readList(records);
          });
        });
      });
    });
  } catch (thrown) {
    if (thrown instanceof BadValue) throw new BadBody(thrown.path, thrown.message);
    throw thrown;
  }
}

/** Reads the message at the position; complaints get its path. */
function descend(wasm: Exports, path: string, read: () => void): void {
  try {
    const outer = wasm.enter();
    read();
    wasm.leave(outer);
  } catch (thrown) {
    throw seenFrom(path, thrown);
  }
}

/** Calls `read` at each field with that tag. `names` are the message's own fields, by number. */
function eachMessage(wasm: Exports, wanted: number, names: readonly string[], read: (index: number) => void): void {
  for (let index = 0; ; index++) {
    const tag = wasm.seek(wanted, Math.max(names.length - 1, 0));
    if (tag === 0) return;
    if (tag !== wanted)
      throw new BadValue("malformed", `has wire type ${tag & 7}, which is not its own`, names[tag >>> 3]);
    read(index);
  }
}

/**
 * Looks through the whole envelope for what its records share, and comes back to its beginning. What can't be read is a
 * problem of the records; that the envelope holds what it should is checked on the way.
 */
function readShared(wasm: Exports, path: string, names: readonly string[], lists: RecordLists, read: () => void): void {
  const start = wasm.position();
  eachMessage(wasm, SHARED, names, () => {
    const outer = wasm.enter();
    const end = wasm.end();
    try {
      read();
    } catch (thrown) {
      const problem = seenFrom(path, thrown);
      if (!(problem instanceof BadValue)) throw thrown;
      lists.problem ??= problem;
      wasm.setEnd(end);
    }
    wasm.leave(outer);
  });
  wasm.moveTo(start);
}
