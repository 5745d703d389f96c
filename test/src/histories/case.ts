/** A case: files on a disk, and what they come to. Each rule of how histories count has one of its own. */
import type { RemovalReason } from "@centspan/model";

export type Tokens = Partial<
  Record<
    "input" | "cacheRead" | "cacheWrite5m" | "cacheWrite1h" | "outputText" | "outputReasoning" | "webSearches",
    number
  >
>;

export type HistoryCase = {
  name: string;
  /** Below the home; text, or lines. A name that ends in `.zst` is framed. */
  files: Record<string, string | readonly string[]>;
  /** Files as they are at the second import, where they grew. */
  later?: Record<string, string | readonly string[]>;
  expect: {
    calls: number;
    tokens: Tokens;
    removed?: Partial<Record<RemovalReason, number>>;
    turns?: number;
    toolRuns?: number;
    problems?: readonly string[];
    unfinished?: number;
    /** Calls by session. */
    sessions?: Record<string, number>;
    /** Number of traces: each run of a person is one, with its agents in it. */
    traces?: number;
    quarantined?: number;
    /** Of calls that begin something: `marks known-tokens`, in order of their spans. */
    marks?: readonly string[];
    /** Sessions by the first of the chain that they go on from. */
    roots?: Record<string, number>;
    tests?: readonly string[];
  };
};
