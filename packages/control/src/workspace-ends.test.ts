import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, openControl } from "./index.ts";
import { createDatabase } from "./testing/create-database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let control: Control;
let client: Client;

beforeAll(async () => {
  database = await createDatabase();
  control = openControl({ url: database.url });
  await control.migrate();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await control.ensureWorkspace("acme", { id: "first", name: "First" });
  await control.ensureWorkspace("acme", { id: "second", name: "Second" });
});
afterAll(async () => {
  await client.end();
  await control.close();
  await database.drop();
});

/** Tables that have rows of a workspace, of all that have any way to name one. */
async function listTablesWith(workspace: string): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'workspace'",
  );
  const found: string[] = [];
  for (const { table_name: table } of rows) {
    const { rowCount } = await client.query(`SELECT 1 FROM "${table}" WHERE workspace = $1`, [workspace]);
    if (rowCount) found.push(table);
  }
  return found.sort();
}

it("ends a workspace: hidden with its keys and people at once, then gone to the last row, its id never given again", async () => {
  const key = await control.createKey({ workspace: "second", name: "k", kind: "api", team: "t" }, "ada");
  await control.invite("second", { email: "bob@acme.example", role: "viewer" }, "ada");
  await control.setRetention("second", "logs", 7, "ada");
  await control.setReviewRate("second", { team: "t", usdPerHour: "1" }, "ada");
  await control.noteRefusal("second", "junit", "why");
  expect(await listTablesWith("second")).toEqual([
    ...["audit_log", "invitations", "keys", "report_refusals", "retention_policies", "review_rates", "teams"],
  ]);

  await control.deleteWorkspace("second", "ada");
  expect(await control.findPrincipal(key.secret)).toBeNull();
  expect((await control.listWorkspaces("acme")).map(({ id }) => id)).toEqual(["first"]);
  await expect(control.deleteWorkspace("second", "ada")).rejects.toMatchObject({ code: "not_found" });
  await expect(control.ensureWorkspace("acme", { id: "second", name: "Again" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await control.listAudit("first", 1)).toMatchObject([
    { actor: "ada", action: "workspace.deleted", subject: "second", details: { name: "Second" } },
  ]);

  // What was under way is given a minute.
  expect(await control.listDeletedWorkspaces()).toEqual([]);
  await client.query("UPDATE workspaces SET deleted_at = deleted_at - interval '1 minute' WHERE id = 'second'");
  expect(await control.listDeletedWorkspaces()).toEqual(["second"]);
  await control.purgeWorkspace("second");
  expect(await listTablesWith("second")).toEqual([]);
  expect(await control.listDeletedWorkspaces()).toEqual([]);
  await expect(control.ensureWorkspace("acme", { id: "second", name: "Again" })).rejects.toMatchObject({
    code: "conflict",
  });
});

it("keeps the first of an organisation, and purges nothing that was not deleted", async () => {
  await expect(control.deleteWorkspace("first", "ada")).rejects.toMatchObject({ code: "conflict" });
  await expect(control.purgeWorkspace("first")).rejects.toMatchObject({ code: "conflict" });
  await expect(control.deleteWorkspace("nowhere", "ada")).rejects.toMatchObject({ code: "not_found" });
});

it("purges every table that names a workspace", async () => {
  const { rows } = await client.query(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'workspace'",
  );
  await control.ensureWorkspace("acme", { id: "third", name: "Third" });
  await control.deleteWorkspace("third", "ada");
  // Which tables are deleted from: each notes it.
  await client.query("CREATE TABLE purged (name text)");
  for (const { table_name: table } of rows) {
    await client.query(
      `CREATE OR REPLACE FUNCTION note_${table}() RETURNS trigger AS $$ BEGIN INSERT INTO purged VALUES ('${table}'); RETURN NULL; END $$ LANGUAGE plpgsql`,
    );
    await client.query(
      `CREATE TRIGGER note AFTER DELETE ON "${table}" FOR EACH STATEMENT EXECUTE FUNCTION note_${table}()`,
    );
  }
  await control.purgeWorkspace("third");
  const { rows: purged } = await client.query("SELECT DISTINCT name FROM purged");
  const names = (list: { name?: string; table_name?: string }[]) =>
    list.map((row) => row.name ?? row.table_name).sort();
  // People's went as it was hidden.
  const others = rows.filter(({ table_name: table }) => !["members", "invitations"].includes(table));
  expect(names(purged)).toEqual(names(others));
});
