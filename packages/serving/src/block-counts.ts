/** Where the blocks of a cache are. */
export type BlockCounts = {
  capacity: number;
  free: number;
  /** Held by one request and not shared. */
  exclusive: number;
  /** Shared content in use by at least one request. */
  pinned: number;
  /** Shared content that nobody uses now. */
  idle: number;
};
