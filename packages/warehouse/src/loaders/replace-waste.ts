/** Stores the waste of runs in place of what was found before. Items that are there already, as they are, are left alone. */
import type { WasteItem } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { hashContent } from "../content-hash.ts";
import { toWasteRow } from "../rows/waste-row.ts";
import type { Revisions } from "./revisions.ts";

type StoredRow = { run: string; item_id: string; content_hash: string; revision: string };

export async function replaceWaste(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  items: ReadonlyMap<string, readonly WasteItem[]>,
): Promise<void> {
  const stored = await queryInChunks([...items.keys()], (runs) =>
    connection.query<StoredRow>(
      `SELECT run, item_id, content_hash, revision FROM waste_items FINAL
       WHERE workspace = {workspace:String} AND run IN {runs:Array(String)}`,
      { workspace, runs },
    ),
  );
  const revision = revisions.next(stored.map((row) => BigInt(row.revision))).toString();
  const gone = new Map(stored.map((row) => [keyOf(row.run, row.item_id), row]));
  const rows = [...items].flatMap(([run, list]) =>
    list.flatMap((item) => {
      const row = toWasteRow(workspace, run, item);
      const content_hash = hashContent(row);
      const before = gone.get(keyOf(run, item.itemId));
      gone.delete(keyOf(run, item.itemId));
      return before?.content_hash === content_hash ? [] : [{ ...row, content_hash, revision }];
    }),
  );
  await connection.insert("waste_items", rows);
  await connection.insert(
    "waste_items",
    [...gone.values()].map(({ run, item_id }) => ({ workspace, run, item_id, revision, deleted: 1 })),
  );
}

const keyOf = (run: string, itemId: string): string => JSON.stringify([run, itemId]);
