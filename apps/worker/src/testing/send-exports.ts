/** Exports into the store, by the way that the collector's take: JSON to protobuf, protobuf to blocks of columns. */
import { createBlockBuilder, transcodeJson } from "@centspan/ingest";
import { type BlockStore, SIGNALS, type Signal, TABLE_OF_SIGNAL } from "@centspan/model";
import { expect } from "vitest";

export type Export = { signal: Signal; otlp: Record<string, unknown> };
/** `isTrusted`: by a gateway's credential. */
export type Sent = { workspace: string; each: Export; isTrusted?: boolean };

let blocks = 0;

/** One block for each signal, whatever the number of exports; every record has to be accepted. */
export async function sendExports(store: BlockStore, sent: readonly Sent[]): Promise<void> {
  for (const signal of SIGNALS) {
    const builder = createBlockBuilder(TABLE_OF_SIGNAL[signal]);
    for (const { workspace, each, isTrusted } of sent) {
      if (each.signal !== signal) continue;
      const { body, rejected } = transcodeJson(signal, new TextEncoder().encode(JSON.stringify(each.otlp)));
      expect(builder.add(workspace, body, isTrusted).rejected + rejected).toBe(0);
    }
    if (builder.rows > 0) await store.insertBlock(TABLE_OF_SIGNAL[signal], builder.take(), `block_${++blocks}`);
  }
}
