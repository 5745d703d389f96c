/** For tests only: a collector on free ports in front of the run's real stores, with keys of two workspaces. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Control, openControl } from "@centspan/control";
import { transcodeJson } from "@centspan/ingest";
import type { KeyKind } from "@centspan/model";
import { createCredentialCache } from "@centspan/service";
import { type Gate, openGate, waitUntil } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { inject } from "vitest";
import { type Collector, type CollectorOptions, openCollector } from "../open-collector.ts";

export const MAX_BODY_BYTES = 200_000;

export type TestCollector = Collector & {
  warehouse: Warehouse;
  /** The collector's way to the warehouse. */
  gate: Gate;
  folder: string;
  workspaces: { one: string; two: string };
  keys: { ingest: string; api: string; gateway: string; trusted: string; other: string };
  faults: string[];
  /** Closes it and opens another on the same spool, as after a restart. */
  reopen(options?: Partial<CollectorOptions>): Promise<void>;
  dispose(): Promise<void>;
};

export async function openTestCollector(extra: Partial<CollectorOptions> = {}): Promise<TestCollector> {
  const clickhouseUrl = inject("clickhouseUrl");
  const gate = await openGate(clickhouseUrl);
  const warehouse = openWarehouse({ url: clickhouseUrl });
  const throughGate = openWarehouse({ url: gate.url });
  const control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
  const { workspaces, keys } = await createKeys(control);
  const folder = await mkdtemp(join(tmpdir(), "centspan-collector-"));
  const faults: string[] = [];
  const open = (more: Partial<CollectorOptions> = {}): Promise<Collector> =>
    openCollector({
      host: "127.0.0.1",
      httpPort: 0,
      grpcPort: 0,
      spool: { folder: join(folder, "spool"), maxBytes: 1e9 },
      store: throughGate,
      credentials: createCredentialCache({ find: (secret) => control.findPrincipal(secret) }),
      keysKnownForMs: 600_000,
      askWarehouse: () => throughGate.ping(),
      askControl: () => control.ping(),
      version: "test",
      maxBodyBytes: MAX_BODY_BYTES,
      onFault: (message) => faults.push(message),
      ...extra,
      ...more,
    });
  const collector: TestCollector = {
    ...(await open({ defaultWorkspace: workspaces.one })),
    warehouse,
    gate,
    folder,
    workspaces,
    keys,
    faults,
    async reopen(more) {
      await collector.close();
      Object.assign(collector, await open(more));
    },
    async dispose() {
      await collector.close();
      await gate.shut();
      await Promise.all([warehouse.close(), throughGate.close(), control.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
  return collector;
}

async function createKeys(control: Control): Promise<Pick<TestCollector, "workspaces" | "keys">> {
  const org = `org-${randomBytes(4).toString("hex")}`;
  const workspaces = { one: `${org}-one`, two: `${org}-two` };
  const create = async (workspace: string, kind: KeyKind): Promise<string> => {
    await control.ensureWorkspace(org, { id: workspace, name: workspace });
    return (await control.createKey({ workspace, name: kind, kind, team: null }, "tests")).secret;
  };
  return {
    workspaces,
    keys: {
      ingest: await create(workspaces.one, "ingest"),
      api: await create(workspaces.one, "api"),
      gateway: await create(workspaces.one, "gateway"),
      trusted: await create(workspaces.one, "gateway-ingest"),
      other: await create(workspaces.two, "ingest"),
    },
  };
}

export type SentTrace = { traceId: string; json: string; protobuf: Uint8Array };

/** A body of spans of a new trace. */
export function createTrace(spanIds: readonly string[] = ["00000000000000a1"], padding = ""): SentTrace {
  const traceId = randomBytes(16).toString("hex");
  const spans = spanIds.map((spanId) => ({
    traceId,
    spanId,
    name: `chat ${spanId}`,
    kind: 3,
    startTimeUnixNano: "1790000000000000001",
    endTimeUnixNano: "1790000001000000002",
    attributes: [
      { key: "gen_ai.usage.input_tokens", value: { intValue: "9007199254740993" } },
      { key: "padding", value: { stringValue: padding } },
    ],
  }));
  const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  return { traceId, json, protobuf: transcodeJson("traces", Buffer.from(json)).body };
}

export const countSpans = async (warehouse: Warehouse, workspace: string, traceId: string): Promise<number> =>
  (await warehouse.readTrace(workspace, traceId)).spans.length;

/** Until the loader has brought them in. */
export const waitForSpans = (
  { warehouse, workspaces }: Pick<TestCollector, "warehouse" | "workspaces">,
  traceId: string,
  count = 1,
): Promise<true> =>
  waitUntil(`${count} spans of ${traceId} are stored`, async () =>
    (await countSpans(warehouse, workspaces.one, traceId)) === count ? true : undefined,
  );
