/** A warehouse in a database of its own for each test file, so that files can't see each other's rows. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, inject } from "vitest";
import { type Connection, openConnection } from "../connection.ts";
import { openWarehouse, type Warehouse } from "../index.ts";

export type TestWarehouse = { url: string; warehouse: Warehouse; connection: Connection; drop(): Promise<void> };

/** Not migrated yet. */
export function createWarehouse(): TestWarehouse {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const address = new URL(inject("clickhouseUrl"));
  address.pathname = `/${name}`;
  const warehouse = openWarehouse({ url: address.href });
  const connection = openConnection(address.href);
  return {
    url: address.href,
    warehouse,
    connection,
    async drop() {
      await connection.command(`DROP DATABASE IF EXISTS ${name}`);
      await Promise.all([warehouse.close(), connection.close()]);
    },
  };
}

/** Migrated before the tests of the file that asks for it, dropped after them. */
export function useWarehouse(): TestWarehouse {
  const test = createWarehouse();
  beforeAll(() => test.warehouse.migrate());
  afterAll(() => test.drop());
  return test;
}
