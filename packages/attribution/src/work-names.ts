/**
 * Of which work a call is: of the place that its trace was at last before it, before all of them the first; worktrees of one
 * repository are that repository. A pull request has all that its branch cost before it was opened too: of several requests
 * of a branch, or a session, a call is of the next to be opened, after all of them of the last.
 */
import type { PlacedSpend, WorkGroup, WorkMark } from "@centspan/model";
import { groupByTime } from "./group-by.ts";

/** `key` tells names apart. */
export type WorkName = { group: string; repository: string; key: string };
export type WorkNames = {
  /** Null where the work is not known. */
  nameOf(traceId: string, sessionId: string, atNs: bigint): WorkName | null;
  /** Whether all of it is of one piece of work, or all of none that is known. */
  isOne(spend: Pick<PlacedSpend, "traceId" | "sessionId" | "atNs" | "lastNs">): boolean;
};

const LATEST_NS = 2n ** 63n;

export const keyOf = (repository: string, group: string): string => `${repository} ${group}`;
const nameWork = (repository: string, group: string): WorkName => ({
  group,
  repository,
  key: keyOf(repository, group),
});

export function createWorkNames(marks: readonly WorkMark[], by: WorkGroup): WorkNames {
  const steady = nameSteadyTraces(marks, by);
  const isMoving = ({ branch, traceId }: WorkMark): boolean => isPlace({ branch, traceId }) && !steady.has(traceId);
  const places = groupByTime(
    marks.filter(isMoving),
    ({ traceId }) => traceId,
    ({ atNs }) => atNs,
  );
  const placeOf = (traceId: string, atNs: bigint): WorkMark | undefined =>
    places.findBefore(traceId, atNs + 1n) ?? places.findFrom(traceId, 0n);
  const requests = createRequests(marks, new Set(marks.filter(isMoving).map(branchOf)));
  const nameOf: WorkNames["nameOf"] = (traceId, sessionId, atNs) => {
    const known = steady.get(traceId);
    if (known !== undefined) return known;
    const place = placeOf(traceId, atNs);
    const { repository = "", branch = "" } = place ?? {};
    if (by === "branch") return branch === "" ? null : nameWork(repository, branch);
    const request = requests.findNext(place, sessionId, atNs) ?? requests.findNext(place, sessionId, LATEST_NS);
    return request === undefined ? null : nameWork(repository, request.pullRequest);
  };
  /** When it may be of other work first after an instant. */
  const findChange = ({ traceId, sessionId }: Pick<PlacedSpend, "traceId" | "sessionId">, atNs: bigint): bigint => {
    const moved = places.findFrom(traceId, atNs + 1n)?.atNs ?? LATEST_NS;
    const opened = requests.findNext(placeOf(traceId, atNs), sessionId, atNs)?.atNs ?? LATEST_NS;
    return moved <= opened ? moved : opened + 1n;
  };
  const describe = (spend: Pick<PlacedSpend, "traceId" | "sessionId">, atNs: bigint): string => {
    const name = nameOf(spend.traceId, spend.sessionId, atNs);
    return name?.key ?? "";
  };
  return {
    nameOf,
    isOne(spend) {
      if (steady.has(spend.traceId)) return true;
      const name = describe(spend, spend.atNs);
      for (let at = findChange(spend, spend.atNs); at <= spend.lastNs; at = findChange(spend, at))
        if (describe(spend, at) !== name) return false;
      return true;
    },
  };
}

const branchOf = ({ repository, branch }: WorkMark): string => keyOf(repository, branch);
const isPlace = ({ branch, traceId }: Pick<WorkMark, "branch" | "traceId">): boolean => branch !== "" && traceId !== "";

/**
 * Traces that were only ever at one branch, which no more than one request was told of, and their work: most are, and what is
 * asked of them need not look at instants. Where a branch has no request, the session's decide, and the trace is not here.
 */
function nameSteadyTraces(marks: readonly WorkMark[], by: WorkGroup): Map<string, WorkName> {
  const works = new Map<string, WorkName | null>();
  for (const mark of marks) {
    const { repository, branch, pullRequest } = mark;
    const group = by === "branch" ? branch : pullRequest;
    if (branch === "" || group === "") continue;
    const key = branchOf(mark);
    const known = works.get(key);
    if (known === undefined) works.set(key, nameWork(repository, group));
    else if (known?.group !== group) works.set(key, null);
  }
  const branches = new Map<string, string | null>();
  for (const mark of marks) {
    if (!isPlace(mark)) continue;
    const branch = branchOf(mark);
    const known = branches.get(mark.traceId);
    if (known === undefined) branches.set(mark.traceId, branch);
    else if (known !== branch) branches.set(mark.traceId, null);
  }
  const steady = new Map<string, WorkName>();
  for (const [traceId, branch] of branches) {
    const work = branch && works.get(branch);
    if (work) steady.set(traceId, work);
  }
  return steady;
}

/** Those of sessions, and of these branches. */
function createRequests(marks: readonly WorkMark[], branches: ReadonlySet<string>) {
  const told = marks.filter(({ pullRequest }) => pullRequest !== "");
  const timeOf = ({ atNs }: WorkMark): bigint => atNs;
  const ofBranch = groupByTime(
    told.filter((mark) => mark.branch !== "" && branches.has(branchOf(mark))),
    branchOf,
    timeOf,
  );
  const ofSession = groupByTime(
    told.filter(({ branch }) => branch === ""),
    ({ sessionId }) => sessionId,
    timeOf,
  );
  return {
    /** The first to be opened at an instant or after it; at the latest instant the last of all. Those of the branch go before the session's. */
    findNext(place: WorkMark | undefined, sessionId: string, atNs: bigint): WorkMark | undefined {
      const branch = place && branchOf(place);
      const isOfBranch = branch !== undefined && ofBranch.findFrom(branch, 0n) !== undefined;
      const [list, key] = isOfBranch ? [ofBranch, branch] : [ofSession, sessionId];
      if (!isOfBranch && sessionId === "") return undefined;
      return atNs === LATEST_NS ? list.findBefore(key, LATEST_NS) : list.findFrom(key, atNs);
    },
  };
}
