/** What questions to the stores are narrowed and paged by. */
export type TimeRange = { fromNs: bigint; toNs: bigint };
export type Page<T> = { data: T[]; nextCursor: string | null };
export type PageRequest = { limit: number; cursor: string | null };

/** An attribute with exactly that value. */
export type AttributeFilter = { key: string; value: string };

/** Members of a call that it can be chosen by. */
export const CALL_FILTERS = [
  "key",
  "keyId",
  "team",
  "task",
  "provider",
  "model",
  "taskType",
  "repository",
  "runId",
  "traceId",
] as const;
export type CallFilter = Partial<Record<(typeof CALL_FILTERS)[number], string> & { range: TimeRange }>;
