/** The worker as a process: configuration, stores, ready line. It is ready, and keeps trying, while a store is away. */
import { createWallClock } from "@centspan/base";
import { openControl } from "@centspan/control";
import { rateCards } from "@centspan/pricing";
import { listen, listenSchema, portSchema, readConfig, runMain } from "@centspan/service";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { createWorker } from "./create-worker.ts";

const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4200),
  CLICKHOUSE_URL: z.url(),
  DATABASE_URL: z.url(),
});

await runMain("worker", async () => {
  const config = readConfig(configSchema, process.env);
  const control = openControl({ url: config.DATABASE_URL });
  const warehouse = openWarehouse({ url: config.CLICKHOUSE_URL, books: control });
  const worker = createWorker({
    warehouse,
    control,
    clock: createWallClock(),
    cards: rateCards,
    say: (text) => process.stderr.write(`worker: ${text}\n`),
  });
  const url = await listen(worker.app, { host: config.CENTSPAN_HOST, port: config.CENTSPAN_PORT });
  return {
    ready: { url },
    async stop() {
      await worker.stop();
      await Promise.all([warehouse.close(), control.close()]);
    },
  };
});
