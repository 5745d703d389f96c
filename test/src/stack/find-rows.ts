/** Waits until what was sent is found through the Trace API of the shared stack. */
import type { TraceDetail } from "@centspan/model";
import { getApi, listAll } from "./api.ts";
import { until } from "./processes.ts";

const PATIENCE_MS = 45_000;

/** A trace, once it has as many spans, and once it is what is waited for. */
export const findTrace = (
  traceId: string,
  spans: number,
  isRight: (trace: TraceDetail) => boolean = () => true,
): Promise<TraceDetail> =>
  until(
    `trace ${traceId} with ${spans} spans`,
    async () => {
      const { status, body } = await getApi<TraceDetail>(`/traces/${traceId}`);
      return status === 200 && body.spans.length >= spans && isRight(body) ? body : undefined;
    },
    PATIENCE_MS,
  );

/** All rows of a list, once there are as many, and once they are what is waited for. */
export const findRows = <Row>(
  path: string,
  count: number,
  isRight: (rows: Row[]) => boolean = () => true,
): Promise<Row[]> =>
  until(
    `${count} rows of ${path}`,
    async () => {
      const rows = await listAll<Row>(path, 1000);
      return rows.length >= count && isRight(rows) ? rows : undefined;
    },
    PATIENCE_MS,
  );
