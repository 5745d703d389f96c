/** The Trace API over real stores, for one workspace, as its owner: there while the tests of a file run. */
import { randomBytes } from "node:crypto";
import { type Clock, createWallClock } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { EMPTY_CALL, type Principal, type RatedCall } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, inject } from "vitest";
import type { Send } from "../client.ts";
import { type ApiClient, createApiClient, createTraceApi } from "../index.ts";

export type TestApi = { warehouse: Warehouse; control: Control; client: ApiClient; send: Send };

/** `posting` is the store's clock: when late calls come in. */
export function useApi(workspace: string, clock = createWallClock(), posting: Clock = createWallClock()): TestApi {
  const control = openControl({ url: inject("databaseUrl") });
  const url = new URL(`/api_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href;
  const warehouse = openWarehouse({ url, books: control, clock: posting });
  beforeAll(() => Promise.all([warehouse.migrate(), control.migrate()]));
  afterAll(() => Promise.all([warehouse.close(), control.close()]));
  const api = createTraceApi({ warehouse, control, clock });
  const owner: Principal = {
    keyId: "k",
    keyName: "k",
    kind: "api",
    scopes: null,
    workspace,
    org: "o",
    orgWide: false,
    team: null,
    rules: {},
  };
  const send: Send = (path, init) => api.handle(new Request(new URL(path, "http://api.test"), init), owner);
  return { warehouse, control, send, client: createApiClient(send) };
}

/** A call that used a model and was charged nothing, but for what is given. */
export const makeCall = (given: Partial<RatedCall> & Pick<RatedCall, "callId" | "atNs">): RatedCall => ({
  ...EMPTY_CALL,
  durationNs: 1n,
  provider: "openai",
  model: "m",
  dialect: "semconv",
  costStatus: "unpriced",
  costUsd: null,
  lines: [],
  ...given,
});
