/** Rows of one table and workspace as they are kept, each once: for whoever takes them elsewhere. */
import type { ExportedTable } from "@centspan/model";
import type { Connection, Row } from "../connection.ts";

export const exportRows = (connection: Connection, workspace: string, table: ExportedTable): AsyncGenerator<Row[]> =>
  connection.stream<Row>(`SELECT * EXCEPT workspace FROM ${table} FINAL WHERE workspace = {workspace:String}`, {
    workspace,
  });
