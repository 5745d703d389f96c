import type { KvBlockId } from "@centspan/model";

/** A request as replays of a cache see it: the keys of its blocks, first block first, and when it arrives. */
export type Prompt = { keys: readonly KvBlockId[]; atNs: number };
