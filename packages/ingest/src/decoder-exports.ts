/** What assembly/index.ts exports, where it is described. */

/** An address, a count, a tag, an index or, from `columnName`, a string's address. */
type Call = (...numbers: number[]) => number;
type Constant = { readonly value: number };

export type Exports = Record<
  | "holdBytes"
  | "addWord"
  | "columnCount"
  | "columnName"
  | "placeColumn"
  | "hashColumn"
  | "startBody"
  | "dropBody"
  | "rowCount"
  | "seek"
  | "position"
  | "moveTo"
  | "end"
  | "setEnd"
  | "enter"
  | "leave"
  | "startResource"
  | "readResource"
  | "closeResource"
  | "dropResource"
  | "startScope"
  | "readScope"
  | "readMetricHead"
  | "badMetricText"
  | "readDataHead"
  | "pointCount"
  | "readRecords"
  | "passRecord"
  | "dropRecord"
  | "writeBlock"
  | "blockStart"
  | "clear"
  | "pathStart"
  | "pathDepth",
  Call
> & { seedHash(seed: bigint): void } & Record<KeyClass | WordList, Constant>;

export type KeyClass =
  | "LAYER"
  | "TEAM"
  | "MODEL"
  | "TASK"
  | "RUN_ID"
  | "EVENT_NAME"
  | "CONVERSATION"
  | "SESSION"
  | "OLD_CONVERSATION"
  | "THREAD"
  | "OPERATION"
  | "USAGE"
  | "SERVICE"
  | "FIRST_MARK";
export type WordList =
  | "LAYERS"
  | "OPERATIONS_WITHOUT_MODEL"
  | "REPLICA_SPANS"
  | "SPAN_KINDS"
  | "SPAN_STATUSES"
  | "METRIC_TYPES"
  | "TEMPORALITIES"
  | "MARKS";
