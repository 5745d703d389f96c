/**
 * The commits of a repository since some time, of all branches: what each changes, and whether it is on the branch that all
 * work goes to. From the clone on this disk alone; bounded in number and in time.
 */
import type { CommitFacts } from "@centspan/outcomes";
import { askGit, pipeGit } from "./run-git.ts";

const MOST_COMMITS = 20_000;
const PATIENCE_MS = 10_000;
const FIELD = "\u001f";
const RECORD = "\u001e";

export type RepositoryCommits = {
  /** "" where none could be made out. */
  trunk: string;
  commits: CommitFacts[];
  /** What was left out, in words; "" where nothing was. */
  problem: string;
};

export async function readCommits(commonDir: string, sinceMs: number): Promise<RepositoryCommits> {
  const trunk = findTrunk(commonDir);
  if (trunk === "") return { trunk, commits: [], problem: "no main branch was found" };
  const since = `--since=${new Date(sinceMs).toISOString()}`;
  const format = `--format=${["%H", "%P", "%ct", "%s", "%b"].join("%x1f")}%x1e`;
  const limit = `--max-count=${MOST_COMMITS}`;
  const listed = askGit(commonDir, ["log", "--all", since, limit, format], PATIENCE_MS);
  const onTrunk = askGit(commonDir, ["rev-list", since, limit, trunk], PATIENCE_MS);
  if (listed === null || onTrunk === null) return { trunk, commits: [], problem: "git did not answer in time" };
  const changes = await pipeGit(
    commonDir,
    ["log", "--all", "--no-merges", since, limit, "-p", "--no-textconv", "--no-ext-diff", "--format=commit %H"],
    ["patch-id", "--stable"],
    PATIENCE_MS,
  );
  const patchIds = readPatchIds(changes ?? "");
  const taken = new Set(onTrunk.split("\n"));
  const commits = listed.split(RECORD).flatMap((record) => readCommit(record.trim(), taken, patchIds));
  const isCut = commits.length === MOST_COMMITS;
  return {
    trunk,
    commits,
    problem: isCut
      ? `only the latest ${MOST_COMMITS} commits were looked at`
      : changes === null
        ? "what commits change was not compared: it took too long"
        : "",
  };
}

function readCommit(record: string, taken: ReadonlySet<string>, patchIds: ReadonlyMap<string, string>): CommitFacts[] {
  const [sha = "", parents = "", seconds = "", subject = "", body = ""] = record.split(FIELD);
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) return [];
  return [
    {
      sha,
      parents: parents.split(" ").filter((parent) => parent !== ""),
      atNs: BigInt(seconds) * 1_000_000_000n,
      subject,
      body,
      isOnTrunk: taken.has(sha),
      patchId: patchIds.get(sha) ?? "",
    },
  ];
}

/** Lines of a patch id and its commit. */
const readPatchIds = (text: string): Map<string, string> =>
  new Map(
    text.split("\n").flatMap((line) => {
      const [id, sha] = line.split(" ");
      return id && sha ? [[sha, id] as const] : [];
    }),
  );

/** What the remote calls its head, as far as the clone knows, or else the usual names. */
function findTrunk(commonDir: string): string {
  const head = askGit(commonDir, ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"])?.trim();
  const names = ["origin/main", "origin/master", "main", "master", "trunk"].map((name) =>
    name.includes("/") ? `refs/remotes/${name}` : `refs/heads/${name}`,
  );
  const candidates = head ? [head, ...names] : names;
  const exists = (name: string): boolean => askGit(commonDir, ["show-ref", "--verify", "--quiet", name]) !== null;
  const found = candidates.filter(exists);
  // Work that is not pushed yet is on the branch here.
  const local = found.find((name) => name.startsWith("refs/heads/"));
  const remote = found.find((name) => name.startsWith("refs/remotes/"));
  if (local === undefined || remote === undefined) return found[0] ?? "";
  return isAncestor(commonDir, remote, local) ? local : remote;
}

const isAncestor = (commonDir: string, older: string, newer: string): boolean =>
  askGit(commonDir, ["merge-base", "--is-ancestor", older, newer]) !== null;
