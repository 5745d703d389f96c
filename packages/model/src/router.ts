/**
 * Which replica serves a request: one small contract, one file each in packages/serving/src/routers.
 * A router reads what replicas report at the moment and what it remembers itself. No clock, no randomness but the one given.
 */
import type { KvBlockId } from "./kv-policy.ts";

export type RoutedRequest = {
  promptTokens: number;
  /** Chained hashes of the prompt's blocks. */
  blockKeys: readonly KvBlockId[];
  blockTokens: number;
};

/** What a replica says when asked. Asking changes nothing. */
export type ReplicaView = {
  /** Relative speed, 1 for the reference machine: 0.8 takes a quarter longer for the same work. */
  readonly speed: number;
  waiting(): number;
  running(): number;
  /** Prompt tokens that wait to be computed, of requests in line and of those under way. */
  queuedTokens(): number;
  /** Blocks in use by running requests. */
  activeBlocks(): number;
  /** Leading blocks of the keys that its cache holds. */
  countHits(keys: readonly KvBlockId[]): number;
};

export type Router = {
  /** An index into `replicas`, of which there is at least one. Always the same list in the same order. */
  choose(request: RoutedRequest, replicas: readonly ReplicaView[]): number;
};

export type RouterOptions = {
  /** Numbers by name; those of `defaults` that are not given have their default. */
  settings: Readonly<Record<string, number>>;
  random(): number;
};

export type RouterPlugin = {
  id: string;
  describe: string;
  /** Every setting there is, with its default. */
  defaults: Readonly<Record<string, number>>;
  create(options: RouterOptions): Router;
};
export const defineRouter = (plugin: RouterPlugin): RouterPlugin => plugin;
