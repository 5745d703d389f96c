/**
 * Names that mean one piece of work: a pull request, its head and the commit that it was merged as. Who names two says that
 * they are one.
 */
import type { Outcome, WorkPlace } from "@centspan/model";

/** Apart from commits, which look the same. */
export const namePatch = (patchId: string): string => (patchId === "" ? "" : `patch ${patchId}`);

export const namesOfMark = ({ commit, pullRequest, patchId }: WorkPlace): string[] =>
  [commit, pullRequest, namePatch(patchId)].filter((name) => name !== "");

/** Of outcomes, which may name a commit by its first digits: then the one commit that was seen and begins so. */
export function createOutcomeNames(marks: readonly WorkPlace[]): (outcome: Outcome) => string[] {
  const commits = [...new Set(marks.map(({ commit }) => commit))];
  const expand = (said: string): string => {
    if (said === "" || said.length >= 40) return said;
    const found = commits.filter((commit) => commit.startsWith(said));
    return found.length === 1 ? (found[0] ?? said) : said;
  };
  return ({ subject, evidence }) => {
    const { commit = "", pullRequest = "", patchId = "" } = subject;
    const merged = typeof evidence.mergeCommit === "string" ? evidence.mergeCommit : "";
    return [expand(commit.toLowerCase()), pullRequest, namePatch(patchId), merged].filter((name) => name !== "");
  };
}

export type NameSets = {
  /** What the piece of work with these names is called: as its pull request where it has one. Null without a name. */
  find(names: readonly string[]): string | null;
};

export function createNameSets(lists: readonly (readonly string[])[]): NameSets {
  const above = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let next = above.get(root); next !== undefined; next = above.get(root)) root = next;
    for (let at = name; at !== root; ) {
      const next = above.get(at) ?? root;
      above.set(at, root);
      at = next;
    }
    return root;
  };
  for (const [first, ...others] of lists)
    for (const other of others) {
      const [a, b] = [rootOf(first ?? ""), rootOf(other)];
      if (a === b) continue;
      if (goesBefore(a, b)) above.set(b, a);
      else above.set(a, b);
    }
  return { find: ([first]) => (first === undefined ? null : rootOf(first)) };
}

const isRequest = (name: string): boolean => /[#!]\d+$/.test(name);

function goesBefore(a: string, b: string): boolean {
  const isOne = isRequest(a);
  return isOne === isRequest(b) ? a < b : isOne;
}
