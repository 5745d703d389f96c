/** Opens both stores of a running stack and the Trace API on top of them, in this process. */
import { userInfo } from "node:os";
import { type ApiClient, createApiClient, createTraceApi } from "@centspan/api";
import { CentspanError, createWallClock } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { nameActor, type Principal } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { locateStores } from "./connection.ts";

export const ORG = "local";
export const DEFAULT_WORKSPACE = "default";

/** Who does what a command does. */
const OWNER = { keyId: "cli", keyName: `cli ${userInfo().username}` };
export const ACTOR = nameActor(OWNER);

export type OpenStores = {
  warehouse: Warehouse;
  control: Control;
  /** The Trace API for one workspace, as its owner. */
  apiFor(workspace: string): ApiClient;
  close(): Promise<void>;
};

export function openStores(urls: { clickhouseUrl: string; databaseUrl: string }): OpenStores {
  const control = openControl({ url: urls.databaseUrl });
  const warehouse = openWarehouse({ url: urls.clickhouseUrl, books: control });
  const api = createTraceApi({ warehouse, control, clock: createWallClock() });
  return {
    warehouse,
    control,
    apiFor: (workspace) => {
      const owner: Principal = {
        ...OWNER,
        kind: "person",
        scopes: null,
        workspace,
        org: ORG,
        orgWide: false,
        team: null,
        rules: {},
      };
      return createApiClient((path, init) =>
        api.handle(new Request(new URL(path, "http://trace-api.internal"), init), owner),
      );
    },
    close: async () => {
      await Promise.all([warehouse.close(), control.close()]);
    },
  };
}

/** Opens the stores that are meant, does the work, closes them, and prints the text that came of it. */
export async function printWithStores(dataDir: string, work: (stores: OpenStores) => Promise<string>): Promise<void> {
  const stores = openStores(locateStores(dataDir));
  try {
    process.stdout.write(`${await work(stores)}\n`);
  } finally {
    await stores.close();
  }
}

/** A name that is no workspace is a mistake to report, not an empty table. */
export async function requireWorkspace({ control }: OpenStores, workspace: string): Promise<void> {
  const known = (await control.listWorkspaces(ORG)).map(({ id }) => id);
  if (known.includes(workspace)) return;
  throw new CentspanError("not_found", `--workspace: no ${JSON.stringify(workspace)}; there are: ${known.join(", ")}`);
}

/** The same for work in one workspace, which there is: with the Trace API as its owner. */
export const printWithWorkspace = (
  { data, workspace }: { data: string; workspace: string },
  work: (api: ApiClient, stores: OpenStores) => Promise<string>,
): Promise<void> =>
  printWithStores(data, async (stores) => {
    await requireWorkspace(stores, workspace);
    return work(stores.apiFor(workspace), stores);
  });
