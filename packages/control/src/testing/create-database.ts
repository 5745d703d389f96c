/** A database of its own for each test file, so that files can't see each other's rows. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${name}`;
  await execute(`CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => execute(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function execute(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject("databaseUrl") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
