/** Why no cache served tokens that were there in the call before. */
export type MissReason =
  | "tools"
  | "system"
  | "history"
  | "settings"
  | "expired"
  | "compaction"
  | "resumed"
  | "changed"
  | "never_cached"
  | "routed"
  | "evicted";
