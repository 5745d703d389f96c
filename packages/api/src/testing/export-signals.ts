/** Sends what an exporter would, by the way that the collector goes: OTLP/JSON → protobuf → a block → the store. */
import { createId } from "@centspan/base";
import { createBlockBuilder, transcodeJson } from "@centspan/ingest";
import { type BlockStore, type Signal, TABLE_OF_SIGNAL } from "@centspan/model";

export async function exportSignals(
  store: BlockStore,
  workspace: string,
  signal: Signal,
  request: object,
): Promise<void> {
  const builder = createBlockBuilder(TABLE_OF_SIGNAL[signal]);
  const { body } = transcodeJson(signal, Buffer.from(JSON.stringify(request)));
  const { rejected } = builder.add(workspace, body);
  if (rejected > 0) throw new Error(`${rejected} records were refused`);
  await store.insertBlock(TABLE_OF_SIGNAL[signal], builder.take(), createId("block"));
}

export const toAttributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
