/** A workspace as a whole: its rows for whoever takes them away, and its end. */

/** Tables of the warehouse whose rows are exported, as they are kept; the others are worked out from them. */
export const EXPORTED_TABLES = [
  "spans",
  "logs",
  "metrics",
  "calls",
  "outcomes",
  "outcome_links",
  "waste_items",
] as const;
export type ExportedTable = (typeof EXPORTED_TABLES)[number];

/** In the warehouse. */
export type WorkspaceRows = {
  /** Each row once, some at a time, in no particular order. */
  exportRows(workspace: string, table: ExportedTable): AsyncIterable<readonly object[]>;
  /** Of every table; may be repeated. */
  deleteWorkspaceRows(workspace: string): Promise<void>;
};

/** In the control plane. */
export type WorkspaceEnds = {
  /** From then on it is as if it were not there: its keys and members are no more. `conflict` for the first of an organisation. */
  deleteWorkspace(workspace: string, actor: string): Promise<void>;
  /** Those that were deleted a minute ago or longer, and have rows left. */
  listDeletedWorkspaces(): Promise<string[]>;
  /** Deletes what the control plane has of it. Its id is not given again. */
  purgeWorkspace(workspace: string): Promise<void>;
};
