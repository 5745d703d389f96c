/** Sends what an exporter would, by the way that the collector goes: OTLP/JSON → protobuf → a block → the store. */
import { createId } from "@centspan/base";
import { createBlockBuilder, transcodeJson } from "@centspan/ingest";
import { type Signal, TABLE_OF_SIGNAL } from "@centspan/model";
import type { Warehouse } from "../index.ts";

/** Each of the bodies is a request of its own; all of them come in one block. */
export async function exportSignals(
  warehouse: Warehouse,
  workspace: string,
  signal: Signal,
  bodies: readonly object[],
): Promise<void> {
  const builder = createBlockBuilder(TABLE_OF_SIGNAL[signal]);
  for (const json of bodies) {
    const { body, rejected } = transcodeJson(signal, Buffer.from(JSON.stringify(json)));
    const admission = builder.add(workspace, body);
    if (rejected + admission.rejected > 0) throw new Error(`refused: ${JSON.stringify(admission.reasons)}`);
  }
  await warehouse.insertBlock(TABLE_OF_SIGNAL[signal], builder.take(), createId("block"));
}

export const toAttributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
