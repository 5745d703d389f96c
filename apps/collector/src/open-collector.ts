/**
 * The collector put together: two ways in, the spool, the loader. In one direction: requests → blocks → spool → store.
 * Closing: the doors first, then what is being written, then what the loader can still bring in; the rest stays.
 */
import { join } from "node:path";
import type { BlockStore } from "@centspan/model";
import { listen } from "@centspan/service";
import { createHealth } from "./create-health.ts";
import { describeStatus } from "./describe-status.ts";
import type { FindOriginOptions } from "./find-origin.ts";
import { createGrpcServer } from "./grpc-server.ts";
import { createHttpServer } from "./http-server.ts";
import { createIntake } from "./intake.ts";
import { createLoader } from "./loader/create-loader.ts";
import { openSpool } from "./spool/open-spool.ts";

export type CollectorOptions = FindOriginOptions & {
  host: string;
  httpPort: number;
  grpcPort: number;
  spool: { folder: string; maxBytes: number; segmentBytes?: number };
  store: BlockStore;
  askWarehouse(): Promise<unknown>;
  askControl(): Promise<unknown>;
  /** How long known keys go on while the control plane is away. */
  keysKnownForMs: number;
  version: string;
  maxBodyBytes?: number;
  maxHeldBytes?: number;
  onFault(message: string): void;
};

export type Collector = {
  url: string;
  grpcUrl: string;
  readStatus(): ReturnType<typeof describeStatus>;
  close(): Promise<void>;
};

const DRAIN_MS = 10_000;

export async function openCollector(options: CollectorOptions): Promise<Collector> {
  const { host, onFault } = options;
  const nowMs = Date.now;
  const startedAtMs = nowMs();
  const spool = await openSpool({ ...options.spool, nowMs, onFault });
  const loader = createLoader({
    spool,
    store: options.store,
    refusedFolder: join(options.spool.folder, "refused"),
    nowMs,
    onFault,
  });
  const intake = createIntake({ ...options, spool });
  const readStatus = () =>
    describeStatus({ spool, loader, stats: intake.stats, version: options.version, startedAtMs, nowMs });
  const http = createHttpServer({ intake, readStatus, readHealth: createHealth({ ...options, spool, nowMs }) });
  const grpc = createGrpcServer(intake);
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), grpc.close()]);
    await intake.close();
    await loader.close(DRAIN_MS);
    await spool.close();
  };
  try {
    const url = await listen(http, { host, port: options.httpPort });
    const grpcUrl = await grpc.listen({ host, port: options.grpcPort });
    return { url, grpcUrl, readStatus, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
