/** `centspan migrate`: brings both stores up to date; `npm start` does it by itself, a deployment runs this. */
import type { Command } from "commander";
import { locateStores } from "../connection.ts";
import { DEFAULT_WORKSPACE, ORG, openStores } from "../stores.ts";

export function registerMigrate(program: Command, defaultData: string): void {
  program
    .command("migrate")
    .description(
      "bring the schema of both stores up to date (CLICKHOUSE_URL and DATABASE_URL, or a running local stack)",
    )
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .action(async (options: { data: string }) => {
      const stores = openStores(locateStores(options.data));
      try {
        await Promise.all([stores.warehouse.migrate(), stores.control.migrate()]);
        await stores.control.ensureWorkspace(ORG, { id: DEFAULT_WORKSPACE, name: "Default" });
        process.stdout.write("both stores are up to date\n");
      } finally {
        await stores.close();
      }
    });
}
