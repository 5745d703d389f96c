/**
 * Which replica does what for a request: the router's choice, and where prefill and decoding are separate, the hand-over
 * between them with the time that its keys and values take. No clock: whoever drives the replicas, wall clock or virtual,
 * asks here when a request arrives and when a replica has finished its part.
 * Invariant: every placed request is followed to its end, by one replica or by two.
 */
import { assert, CentspanError, createRandom } from "@centspan/base";
import type { ReplicaView, Router } from "@centspan/model";
import { createRouter, type RouterChoice } from "../find-router.ts";
import type { ServingRequest } from "../serving-types.ts";

export type ReplicaRole = "both" | "prefill" | "decode";

export type KvTransfer = { latencyMs: number; bytesPerS: number; kvBytesPerToken: number };

export type DispatcherOptions = {
  replicas: readonly { view: ReplicaView; role: ReplicaRole }[];
  router: RouterChoice;
  /** Needed where roles are separate. */
  transfer?: KvTransfer;
  blockTokens: number;
  seed: number;
};

/** A part of a request for a replica, which may have it from `request.arrivalNs` on. */
export type Placement = { replica: number; request: ServingRequest };

export type Dispatcher = {
  place(request: ServingRequest): Placement;
  /** A replica has finished its part of the request: the part that is left, or null when it is done. */
  follow(id: string, atNs: number): Placement | null;
  /** The request is gone. */
  forget(id: string): void;
  /** For requests to come; it begins without memory. Throws what `createRouter` throws. */
  setRouter(choice: RouterChoice): void;
};

type Pool = { router: Router; views: ReplicaView[]; indices: number[] };

const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { replicas, transfer, blockTokens } = options;
  const poolOf = (role: ReplicaRole, seed: number): Pool => {
    const indices = replicas.flatMap((replica, index) => (replica.role === role ? [index] : []));
    const views = replicas.flatMap(({ view, role: own }) => (own === role ? [view] : []));
    return { router: createRouter(options.router, createRandom(seed)), views, indices };
  };
  const both = poolOf("both", options.seed);
  const prefill = poolOf("prefill", options.seed);
  const decode = poolOf("decode", options.seed + 1);
  checkRoles({ both, prefill, decode }, transfer);
  /** Requests in their prefill part. */
  const open = new Map<string, ServingRequest>();

  const choose = ({ router, views, indices }: Pool, { promptTokens, blockKeys }: ServingRequest): number => {
    const index = indices[router.choose({ promptTokens, blockKeys, blockTokens }, views)];
    assert(index !== undefined, "the router chose a replica that is not there");
    return index;
  };

  return {
    place(request) {
      if (both.views.length > 0) return { replica: choose(both, request), request };
      const replica = choose(prefill, request);
      if (request.outputTokens === 1) return { replica, request };
      open.set(request.id, request);
      return { replica, request: { ...request, outputTokens: 1 } };
    },
    follow(id, atNs) {
      const request = open.get(id);
      if (request === undefined || transfer === undefined) return null;
      open.delete(id);
      const replica = choose(decode, request);
      const hitTokens = (replicas[replica]?.view.countHits(request.blockKeys) ?? 0) * blockTokens;
      const bytes = Math.max(0, request.promptTokens - hitTokens) * transfer.kvBytesPerToken;
      const transferNs = Math.round(transfer.latencyMs * NS_PER_MS + (bytes / transfer.bytesPerS) * NS_PER_S);
      const rest: ServingRequest = {
        ...request,
        arrivalNs: atNs + transferNs,
        // The first token is part of what is known; its keys and values are computed with the second.
        promptTokens: request.promptTokens + 1,
        outputTokens: request.outputTokens - 1,
        importedTokens: request.promptTokens,
      };
      return { replica, request: rest };
    },
    forget: (id) => void open.delete(id),
    setRouter(choice) {
      both.router = createRouter(choice, createRandom(options.seed));
      prefill.router = createRouter(choice, createRandom(options.seed));
      decode.router = createRouter(choice, createRandom(options.seed + 1));
    },
  };
}

function checkRoles({ both, prefill, decode }: Record<ReplicaRole, Pool>, transfer: KvTransfer | undefined): void {
  const refuse = (field: string, message: string): never => {
    throw new CentspanError("invalid_request", message, { field });
  };
  const separate = prefill.views.length + decode.views.length;
  if (both.views.length + separate === 0) refuse("replicas", "a cluster without replicas");
  if (separate === 0) return;
  if (both.views.length > 0) refuse("replicas", "replicas for both beside replicas for prefill or decode alone");
  if (prefill.views.length === 0 || decode.views.length === 0)
    refuse("replicas", "separate prefill and decode need a replica each");
  if (transfer === undefined) refuse("transfer", "separate prefill and decode need a transfer between them");
}
