/**
 * Group commit: whatever arrives while an insert runs forms the next insert, one lane per workspace.
 * A commit resolves once its spans are durable, and never before.
 * Invariants: a failing insert fails exactly its group, retryably; spans that the store refuses for what they are
 * fail alone, since a group that failed for another reason than an absent store is tried request by request.
 */
import { CentspanError } from "@centspan/base";
import type { SpanRecord, SpanStore } from "@centspan/model";

type GroupCommitOptions = {
  store: Pick<SpanStore, "insertSpans">;
  /** Spans that may wait or be written at once, over all workspaces; beyond that a commit is refused. */
  maxWaitingRows?: number;
  /** Spans in one insert; a single larger request still goes in one. */
  maxGroupRows?: number;
  /** Told of insert failures that are not simply an absent store. */
  onFault(error: unknown): void;
};

type GroupCommit = {
  commit(workspace: string, spans: readonly SpanRecord[]): Promise<void>;
};

type Entry = { spans: readonly SpanRecord[]; resolve(): void; reject(error: CentspanError): void };

const RETRY_AFTER_S = 1;

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, maxWaitingRows = 500_000, maxGroupRows = 100_000 } = options;
  const lanes = new Map<string, Entry[]>();
  let waitingRows = 0;

  const toRetryable = (thrown: unknown): CentspanError => {
    if (isStoreAway(thrown)) return thrown;
    options.onFault(thrown);
    return new CentspanError("store_unavailable", "the spans could not be written", {
      retryAfterS: RETRY_AFTER_S,
      cause: thrown,
    });
  };

  const insertGroup = async (workspace: string, group: readonly Entry[]): Promise<void> => {
    try {
      await store.insertSpans(
        workspace,
        group.flatMap((entry) => entry.spans),
      );
      for (const entry of group) entry.resolve();
    } catch (thrown) {
      if (group.length > 1 && !isStoreAway(thrown)) {
        for (const entry of group) await insertGroup(workspace, [entry]);
        return;
      }
      const error = toRetryable(thrown);
      for (const entry of group) entry.reject(error);
    }
  };

  const runLane = async (workspace: string, waiting: Entry[]): Promise<void> => {
    // The first group forms at the end of this turn of the event loop: requests that came together go together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.splice(0, countGroup(waiting, maxGroupRows));
      await insertGroup(workspace, group);
      for (const entry of group) waitingRows -= entry.spans.length;
    }
    lanes.delete(workspace);
  };

  return {
    commit(workspace, spans) {
      if (spans.length === 0) return Promise.resolve();
      if (waitingRows > 0 && waitingRows + spans.length > maxWaitingRows) {
        return Promise.reject(createOverload(`${waitingRows} spans`));
      }
      waitingRows += spans.length;
      return new Promise((resolve, reject) => {
        const entry: Entry = { spans, resolve, reject };
        const lane = lanes.get(workspace);
        if (lane) lane.push(entry);
        else {
          const waiting = [entry];
          lanes.set(workspace, waiting);
          void runLane(workspace, waiting);
        }
      });
    },
  };
}

const isStoreAway = (thrown: unknown): thrown is CentspanError =>
  thrown instanceof CentspanError && thrown.code === "store_unavailable";

/** How many of the waiting requests fit one insert: at least one. */
function countGroup(waiting: readonly Entry[], maxRows: number): number {
  let rows = 0;
  let count = 0;
  for (const entry of waiting) {
    rows += entry.spans.length;
    if (count > 0 && rows > maxRows) break;
    count += 1;
  }
  return count;
}

/** More is waiting than may: nothing was taken, the sender should come again. */
export const createOverload = (what: string): CentspanError =>
  new CentspanError("store_unavailable", `${what} are already waiting to be written`, { retryAfterS: RETRY_AFTER_S });
