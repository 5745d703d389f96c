/**
 * Of which work a call is: of the place that its trace was at last before it, before all of them the first; worktrees of one
 * repository are that repository. A pull request has all that its branch cost before it was opened too: of several requests
 * of a branch, or a session, a call is of the next to be opened, after all of them of the last.
 */
import type { PlacedSpend, WorkGroup, WorkMark } from "@centspan/model";
import { groupByTime } from "./group-by.ts";

export type WorkName = { group: string; repository: string };
export type WorkNames = {
  /** Null where the work is not known. */
  nameOf(traceId: string, sessionId: string, atNs: bigint): WorkName | null;
  /** Whether all of it is of one piece of work, or all of none that is known. */
  isOne(spend: PlacedSpend): boolean;
};

const LATEST_NS = 2n ** 63n;

export const keyOf = ({ repository, group }: WorkName): string => `${repository} ${group}`;

export function createWorkNames(marks: readonly WorkMark[], by: WorkGroup): WorkNames {
  const places = groupByTime(
    marks.filter(({ branch, traceId }) => branch !== "" && traceId !== ""),
    ({ traceId }) => traceId,
    ({ atNs }) => atNs,
  );
  const placeOf = (traceId: string, atNs: bigint): WorkMark | undefined =>
    places.findBefore(traceId, atNs + 1n) ?? places.findFrom(traceId, 0n);
  const requests = createRequests(marks);
  const nameOf: WorkNames["nameOf"] = (traceId, sessionId, atNs) => {
    const place = placeOf(traceId, atNs);
    const { repository = "", branch: group = "" } = place ?? {};
    if (by === "branch") return group === "" ? null : { group, repository };
    const request = requests.findNext(place, sessionId, atNs) ?? requests.findNext(place, sessionId, LATEST_NS);
    return request === undefined ? null : { group: request.pullRequest, repository };
  };
  /** When it may be of other work first after an instant. */
  const findChange = ({ traceId, sessionId }: PlacedSpend, atNs: bigint): bigint => {
    const moved = places.findFrom(traceId, atNs + 1n)?.atNs ?? LATEST_NS;
    const opened = requests.findNext(placeOf(traceId, atNs), sessionId, atNs)?.atNs ?? LATEST_NS;
    return moved <= opened ? moved : opened + 1n;
  };
  const describe = (spend: PlacedSpend, atNs: bigint): string => {
    const name = nameOf(spend.traceId, spend.sessionId, atNs);
    return name === null ? "" : keyOf(name);
  };
  return {
    nameOf,
    isOne(spend) {
      const name = describe(spend, spend.atNs);
      for (let at = findChange(spend, spend.atNs); at <= spend.lastNs; at = findChange(spend, at))
        if (describe(spend, at) !== name) return false;
      return true;
    },
  };
}

function createRequests(marks: readonly WorkMark[]) {
  const told = marks.filter(({ pullRequest }) => pullRequest !== "");
  const timeOf = ({ atNs }: WorkMark): bigint => atNs;
  const ofBranch = groupByTime(
    told.filter(({ branch }) => branch !== ""),
    ({ repository, branch }) => keyOf({ repository, group: branch }),
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
      const branch = place && keyOf({ repository: place.repository, group: place.branch });
      const isOfBranch = branch !== undefined && ofBranch.findFrom(branch, 0n) !== undefined;
      const [list, key] = isOfBranch ? [ofBranch, branch] : [ofSession, sessionId];
      if (!isOfBranch && sessionId === "") return undefined;
      return atNs === LATEST_NS ? list.findBefore(key, LATEST_NS) : list.findFrom(key, atNs);
    },
  };
}
