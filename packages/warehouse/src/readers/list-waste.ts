/** Single items of waste, the dearest first. */
import type { WasteFilter, WasteItem } from "@centspan/model";
import { and } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { fromWasteRow, WASTE_COLUMNS, type WasteItemRow } from "../rows/waste-row.ts";
import { whereWaste } from "./sum-waste.ts";

export async function listWaste(
  connection: Connection,
  workspace: string,
  filter: WasteFilter,
  limit: number,
): Promise<WasteItem[]> {
  const where = whereWaste(filter);
  const rows = await connection.query<WasteItemRow>(
    `SELECT ${WASTE_COLUMNS} FROM waste_items FINAL
     WHERE workspace = {workspace:String}${and(where)}
     ORDER BY cost_usd DESC, seconds DESC, item_id
     LIMIT {limit:UInt32}`,
    { ...where.params, workspace, limit },
  );
  return rows.map(fromWasteRow);
}
