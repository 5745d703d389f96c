import type { WorkGroup, WorkMark } from "@centspan/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createWorkNames } from "./work-names.ts";

const TRACES = ["t", "u", "v", ""];
const SESSIONS = ["s", "r", ""];
const LAST = 9;

const anyMark: fc.Arbitrary<WorkMark> = fc.record({
  traceId: fc.constantFrom(...TRACES),
  sessionId: fc.constantFrom(...SESSIONS),
  repository: fc.constantFrom("acme/shop", "acme/till"),
  branch: fc.constantFrom("a", "b", ""),
  pullRequest: fc.constantFrom("", "r#1", "r#2"),
  commit: fc.constant(""),
  patchId: fc.constant(""),
  atNs: fc.nat(LAST).map(BigInt),
});

/** The rule as it is said, mark after mark. */
function nameSlowly(marks: readonly WorkMark[], by: WorkGroup, traceId: string, sessionId: string, atNs: bigint) {
  const inOrder = marks.toSorted((a, b) => Number(a.atNs - b.atNs));
  const places = inOrder.filter((mark) => mark.branch !== "" && mark.traceId !== "" && mark.traceId === traceId);
  const place = places.findLast((mark) => mark.atNs <= atNs) ?? places[0];
  if (by === "branch") return place ? `${place.repository} ${place.branch}` : null;
  const told = inOrder.filter(({ pullRequest }) => pullRequest !== "");
  const ofBranch = told.filter(
    ({ repository, branch }) => place && repository === place.repository && branch === place.branch,
  );
  const ofSession = told.filter((mark) => mark.branch === "" && mark.sessionId !== "" && mark.sessionId === sessionId);
  const requests = ofBranch.length > 0 ? ofBranch : ofSession;
  const request = requests.find((mark) => mark.atNs >= atNs) ?? requests.at(-1);
  return request ? `${place?.repository ?? ""} ${request.pullRequest}` : null;
}

it("names work as the rule says, at whatever instant, and is of one name where all instants are", () => {
  fc.assert(
    fc.property(
      fc.array(anyMark, { maxLength: 7 }),
      fc.constantFrom("branch" as const, "pullRequest" as const),
      (marks, by) => {
        const { nameOf, isOne } = createWorkNames(marks, by);
        const instants = Array.from({ length: LAST + 2 }, (_, at) => BigInt(at));
        for (const traceId of TRACES)
          for (const sessionId of SESSIONS) {
            const names = instants.map((atNs) => nameOf(traceId, sessionId, atNs)?.key ?? null);
            expect(names).toEqual(instants.map((atNs) => nameSlowly(marks, by, traceId, sessionId, atNs)));
            const spend = { traceId, sessionId, atNs: 0n, lastNs: BigInt(LAST + 1) };
            expect(isOne(spend)).toBe(new Set(names).size === 1);
          }
      },
    ),
  );
});
