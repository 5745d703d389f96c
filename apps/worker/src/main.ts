/** The worker as a process: configuration, stores, ready line. It is ready, and keeps trying, while a store is away. */
import { availableParallelism } from "node:os";
import { createWallClock } from "@centspan/base";
import { openControl } from "@centspan/control";
import { rateCards } from "@centspan/pricing";
import { listen, listenSchema, portSchema, readConfig, runMain } from "@centspan/service";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { createWorker } from "./create-worker.ts";
import { createAdvisor } from "./studies/advisor.ts";

const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4200),
  CLICKHOUSE_URL: z.url(),
  DATABASE_URL: z.url(),
  /** Threads that studies simulate on; one less than there are cores when absent. */
  CENTSPAN_STUDY_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(256)
    .default(Math.max(1, availableParallelism() - 1)),
});

await runMain("worker", async () => {
  const config = readConfig(configSchema, process.env);
  const control = openControl({ url: config.DATABASE_URL });
  const warehouse = openWarehouse({ url: config.CLICKHOUSE_URL, books: control });
  const clock = createWallClock();
  const worker = createWorker({
    warehouse,
    control,
    clock,
    cards: rateCards,
    studies: { threads: config.CENTSPAN_STUDY_THREADS, readAdvice: createAdvisor({ warehouse, control, clock }) },
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
