/** A workspace as a whole: its rows, for whoever takes them away, and its end. */
import { CentspanError } from "@centspan/base";
import { EXPORTED_TABLES, nameActor } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

const TYPE = "application/x-ndjson; charset=utf-8";

export const exportWorkspace = defineRoute({
  id: "exportWorkspace",
  method: "GET",
  path: "/export/{table}",
  summary: `All rows of a table, one JSON object a line: ${EXPORTED_TABLES.join(", ")}`,
  needs: "workspace.export",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.instanceof(Response),
  answerTypes: [TYPE],
  async run({ deps, caller: { workspace, principal }, params: { table: named = "" } }) {
    const table = EXPORTED_TABLES.find((one) => one === named);
    if (table === undefined)
      throw new CentspanError("not_found", `table: ${named} is none of ${EXPORTED_TABLES.join(", ")}`, {
        field: "table",
      });
    const actor = nameActor(principal);
    await deps.control.writeAudit(workspace, { actor, action: "workspace.exported", subject: table, details: {} });
    const rows = deps.warehouse.exportRows(workspace, table);
    return new Response(toLines(rows), {
      headers: {
        "content-type": TYPE,
        "content-disposition": `attachment; filename="${encodeURIComponent(`${workspace}-${table}.ndjson`)}"`,
        "cache-control": "no-store",
      },
    });
  },
});

/** As fast as they are taken, and no faster. */
function toLines(rows: AsyncIterable<readonly object[]>): ReadableStream<Uint8Array> {
  const parts = rows[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) return controller.close();
      controller.enqueue(Buffer.from(value.map((row) => `${JSON.stringify(row)}\n`).join("")));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}

export const deleteWorkspace = defineRoute({
  id: "deleteWorkspace",
  method: "DELETE",
  path: "/workspace",
  summary:
    "Hides the workspace at once, with its keys and members, and deletes all of it within an hour; `confirm` is its id",
  needs: "workspace.delete",
  query: z.strictObject({ confirm: z.string() }),
  body: z.undefined(),
  answer: z.object({ workspace: z.string(), deleted: z.literal(true) }),
  async run({ deps, caller: { workspace, principal }, query: { confirm } }) {
    if (confirm !== workspace)
      throw new CentspanError("invalid_request", `confirm: is not ${workspace}, the id of this workspace`, {
        field: "confirm",
      });
    await deps.control.deleteWorkspace(workspace, nameActor(principal));
    return { workspace, deleted: true as const };
  },
});
