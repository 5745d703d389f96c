/** What questions to the stores are narrowed and paged by. */
export type TimeRange = { fromNs: bigint; toNs: bigint };
export type Page<T> = { data: T[]; nextCursor: string | null };
export type PageRequest = { limit: number; cursor: string | null };

/** An attribute with exactly that value. */
export type AttributeFilter = { key: string; value: string };

export type CallFilter = Partial<{
  range: TimeRange;
  key: string;
  keyId: string;
  team: string;
  task: string;
  model: string;
  taskType: string;
  repository: string;
  runId: string;
  traceId: string;
}>;
