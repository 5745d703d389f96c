/** Until the store has nothing left to merge: what is measured then is not its catching up. */
import type { IngestStack } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";

const WAIT_MS = 600_000;

export async function awaitMerges(stack: IngestStack): Promise<void> {
  await until(
    "merges are over",
    async () => {
      const [row] = await stack.query<{ merges: number }>("SELECT toUInt32(count()) AS merges FROM system.merges");
      return row?.merges === 0 ? true : undefined;
    },
    WAIT_MS,
  );
}
