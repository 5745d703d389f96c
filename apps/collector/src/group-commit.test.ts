import { CentspanError } from "@centspan/base";
import type { SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

const createSpan = (spanId: string): SpanRecord => ({
  traceId: "0123456789abcdef0123456789abcdef",
  spanId,
  parentSpanId: "",
  name: "",
  kind: "internal",
  service: "",
  startedAtNs: 0n,
  endedAtNs: 0n,
  status: "unset",
  statusMessage: "",
  attributes: {},
  resourceAttributes: {},
  scopeName: "",
  events: [],
  links: [],
});

/** A store across the network: answers when told, refuses groups that hold a poisoned span. */
function createPeer() {
  const inserts: { workspace: string; ids: string[]; succeed(): void; fail(error: unknown): void }[] = [];
  const durable = new Map<string, string[]>();
  const running = new Map<string, number>();
  let overlapped = false;
  return {
    inserts,
    durable,
    overlapped: () => overlapped,
    insertSpans(workspace: string, spans: readonly SpanRecord[]): Promise<void> {
      const ids = spans.map((span) => span.spanId);
      running.set(workspace, (running.get(workspace) ?? 0) + 1);
      overlapped ||= running.get(workspace) !== 1;
      return new Promise<void>((resolve, reject) => {
        inserts.push({
          workspace,
          ids,
          succeed() {
            running.set(workspace, 0);
            if (ids.some((id) => id.startsWith("poison"))) return reject(new Error("value out of range"));
            durable.set(workspace, [...(durable.get(workspace) ?? []), ...ids]);
            resolve();
          },
          fail(error) {
            running.set(workspace, 0);
            reject(error);
          },
        });
      });
    },
  };
}

/** Lets everything that is ready to run, run. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};
const away = (): CentspanError => new CentspanError("store_unavailable", "away", { retryAfterS: 1 });

describe("createGroupCommit", () => {
  it("puts what arrives during an insert into the next one", async () => {
    const peer = createPeer();
    const { commit } = createGroupCommit({ store: peer, onFault: () => undefined });
    const first = [commit("w", [createSpan("a")]), commit("w", [createSpan("b")])];
    await settle();
    const later = ["c", "d", "e"].map((id) => commit("w", [createSpan(id)]));
    await settle();
    expect(peer.inserts.map((insert) => insert.ids)).toEqual([["a", "b"]]);
    peer.inserts[0]?.succeed();
    await Promise.all(first);
    await settle();
    expect(peer.inserts.map((insert) => insert.ids)).toEqual([
      ["a", "b"],
      ["c", "d", "e"],
    ]);
    peer.inserts[1]?.succeed();
    await Promise.all(later);
  });

  it("refuses what would be too much, retryably, and takes it again once there is room", async () => {
    const peer = createPeer();
    const { commit } = createGroupCommit({ store: peer, maxWaitingRows: 2, onFault: () => undefined });
    const first = commit("w", [createSpan("a"), createSpan("b")]);
    await expect(commit("v", [createSpan("c")])).rejects.toMatchObject({ code: "store_unavailable", retryAfterS: 1 });
    await settle();
    peer.inserts[0]?.succeed();
    await first;
    await settle();
    const second = commit("v", [createSpan("c")]);
    await settle();
    peer.inserts[1]?.succeed();
    await second;
  });

  it("acknowledges exactly what is durable, however inserts and arrivals interleave", async () => {
    const action = fc.oneof(
      fc.record({
        kind: fc.constant("commit" as const),
        workspace: fc.constantFrom("v", "w"),
        rows: fc.nat(3),
        poisoned: fc.boolean(),
      }),
      fc.record({ kind: fc.constantFrom("succeed" as const, "fail" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const peer = createPeer();
        const { commit } = createGroupCommit({ store: peer, maxGroupRows: 5, onFault: () => undefined });
        const sent: { workspace: string; ids: string[]; poisoned: boolean; result: string }[] = [];
        let answered = 0;
        const answerNext = async (ok: boolean): Promise<void> => {
          await settle();
          const insert = peer.inserts[answered];
          if (!insert) return;
          answered += 1;
          if (ok) insert.succeed();
          else insert.fail(away());
          await settle();
        };
        let id = 0;
        for (const step of actions) {
          if (step.kind !== "commit") await answerNext(step.kind === "succeed");
          else {
            const poisoned = step.poisoned && step.rows > 0;
            const ids = Array.from({ length: step.rows }, () => `${poisoned ? "poison" : "good"}-${id++}`);
            const entry = { workspace: step.workspace, ids, poisoned, result: "pending" };
            sent.push(entry);
            commit(step.workspace, ids.map(createSpan)).then(
              () => (entry.result = "ok"),
              (error: CentspanError) => (entry.result = error.code),
            );
          }
        }
        const sentinel = { failed: actions.some((step) => step.kind === "fail") };
        for (let i = 0; i < 200 && sent.some((entry) => entry.result === "pending"); i++) await answerNext(true);
        expect(peer.overlapped()).toBe(false);
        for (const { workspace, ids, poisoned, result } of sent) {
          const stored = ids.filter((one) => peer.durable.get(workspace)?.includes(one));
          expect(result).not.toBe("pending");
          expect(stored).toEqual(result === "ok" ? ids : []);
          if (poisoned) expect(result).toBe("store_unavailable");
          else if (!sentinel.failed) expect(result).toBe("ok");
        }
      }),
      { numRuns: 100 },
    );
  });
});
