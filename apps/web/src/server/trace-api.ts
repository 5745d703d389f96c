/**
 * Gives pages a client of the Trace API that runs in-process, for whoever looks at them: a page sees exactly what a script with
 * a key of the same permissions sees. Server only.
 */
import { type ApiClient, createApiClient, createTraceApi } from "@centspan/api";
import { readOnce } from "./read-once.ts";
import { openOnce } from "./stores.ts";
import { readViewer } from "./viewer.ts";

const ADDRESS = "http://trace-api.internal";

/** The Trace API as one page uses it, for the first workspace or the named one. */
export async function openTraceApi(workspace?: string): Promise<ApiClient> {
  const { stores } = openOnce();
  const { principal } = await readViewer(workspace);
  const { warehouse, clock } = stores;
  // A page is of one instant: what depends on it is asked once, too.
  const nowNs = clock.nowNs();
  const once = {
    sumCosts: readOnce(warehouse.sumCosts),
    sliceTasks: readOnce(warehouse.sliceTasks),
    sumWasteTotals: readOnce(warehouse.sumWasteTotals),
  };
  const api = createTraceApi({ ...stores, clock: { nowNs: () => nowNs }, warehouse: { ...warehouse, ...once } });
  return createApiClient((path, init) => {
    const url = new URL(path, ADDRESS);
    if (workspace !== undefined) url.searchParams.set("workspace", workspace);
    return api.handle(new Request(url, init), principal);
  });
}

/** For whoever comes with a link that is the credential: nobody is signed in. */
export const openLinkApi = (): ApiClient =>
  createApiClient((path, init) => openOnce().api.handle(new Request(new URL(path, ADDRESS), init)));

/** Answers a request that came over HTTP: its own credential decides. */
export const handleApiRequest = (request: Request): Promise<Response> => openOnce().api.handle(request);

/** The same for agents, over the Model Context Protocol. */
export const handleMcpRequest = (request: Request): Promise<Response> => openOnce().mcp.handle(request);
