/** What OTLP carries. Each signal has one table in the warehouse. */
export const SIGNALS = ["traces", "logs", "metrics"] as const;
export type Signal = (typeof SIGNALS)[number];

export const TABLE_OF_SIGNAL = { traces: "spans", logs: "logs", metrics: "metrics" } as const satisfies Record<
  Signal,
  string
>;
export type SignalTable = (typeof TABLE_OF_SIGNAL)[Signal];

/** Rows of one table in ClickHouse's Native format: one block, or several after each other. */
export type Block = {
  rows: number;
  bytes: number;
  /** The same bytes each time it is called, so that a failed insert can be repeated. Each piece is valid until the next. */
  read(): AsyncIterable<Uint8Array>;
};
/** A block whose bytes are in memory. */
export type WholeBlock = Block & { readonly content: Uint8Array };
