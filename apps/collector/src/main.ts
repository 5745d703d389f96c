/** The collector as a process: configuration, stores, ready line. */
import { openControl } from "@centspan/control";
import { createCredentialCache, listen, listenSchema, portSchema, readConfig, runMain } from "@centspan/service";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { createCollector } from "./create-collector.ts";

const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4318),
  CLICKHOUSE_URL: z.url(),
  DATABASE_URL: z.url(),
  CENTSPAN_DEFAULT_WORKSPACE: z.string().min(1).optional(),
});

await runMain("collector", async () => {
  const config = readConfig(configSchema, process.env);
  const warehouse = openWarehouse({ url: config.CLICKHOUSE_URL });
  const control = openControl({ url: config.DATABASE_URL });
  const app = createCollector({
    spans: warehouse,
    credentials: createCredentialCache({ find: (secret) => control.findPrincipal(secret) }),
    defaultWorkspace: config.CENTSPAN_DEFAULT_WORKSPACE,
    stores: { clickhouse: () => warehouse.ping(), postgres: () => control.ping() },
    onFault: (error) => process.stderr.write(`collector: insert failed: ${String(error)}\n`),
  });
  const url = await listen(app, { host: config.CENTSPAN_HOST, port: config.CENTSPAN_PORT });
  return {
    ready: { url },
    async stop() {
      // Requests that are being written are answered first: closing waits for them.
      await app.close();
      await Promise.all([warehouse.close(), control.close()]);
    },
  };
});
