/**
 * Lists of records: each record becomes a row or is refused alone, and counted. Invariant: what all records of a list
 * share and can't be read (`problem`) refuses each of them.
 */
import { BadValue, createTally, seenFrom, type Tally } from "./admission.ts";
import type { Decoder } from "./decoder.ts";

export class RecordLists {
  readonly #decoder: Decoder;
  tally: Tally = createTally();
  /** Set while the records of a resource, scope or metric that can't be read go by. */
  problem: BadValue | null = null;
  /** Path of the list that records are read from. */
  prefix = "";

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Reads the messages with that tag, the first of them with that index; returns the index after the last. */
  read(tag: number, list: string, firstIndex: number): number {
    const { wasm } = this.#decoder;
    let index = firstIndex;
    if (this.problem !== null) {
      for (; wasm.seek(tag, 0) !== 0; index++) {
        wasm.passRecord(tag);
        this.tally.refuse(this.problem);
      }
      return index;
    }
    for (;;) {
      try {
        return wasm.readRecords(tag, index);
      } catch (thrown) {
        if (!(thrown instanceof BadValue)) throw thrown;
        const next = wasm.dropRecord();
        if (next === 0) throw thrown;
        index = next;
        const told = seenFrom(`${this.prefix}${list}[${index - 1}]`, thrown);
        if (told instanceof BadValue) this.tally.refuse(told);
      }
    }
  }
}
