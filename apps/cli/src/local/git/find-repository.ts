/**
 * Which repository a folder is of: all worktrees of one repository are that repository, and so are folders of worktrees
 * that were taken away since. Asked once for each folder.
 */
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import { askGit } from "./run-git.ts";

export type Repository = {
  /** Where its history is kept: the same for all worktrees. */
  commonDir: string;
  /** Without credentials; "" where it has no remote. */
  url: string;
  /** As a code host calls it, `owner/name`, or else the folder's own name. */
  name: string;
};

export function createRepositoryFinder(home: string): (folder: string) => Repository | null {
  const known = new Map<string, Repository | null>();
  const byDir = new Map<string, Repository>();
  return (folder) => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const commonDir = findCommonDir(folder, home);
    const repository = commonDir === null ? null : (byDir.get(commonDir) ?? readRepository(commonDir));
    if (repository !== null) byDir.set(repository.commonDir, repository);
    known.set(folder, repository);
    return repository;
  };
}

function findCommonDir(folder: string, home: string): string | null {
  if (!isAbsolute(folder)) return null;
  let there = folder;
  while (!existsSync(there)) {
    const above = dirname(there);
    // What lies above the home, or is the home itself, is nobody's project.
    if (above === there || above === home || home.startsWith(`${above}/`)) return null;
    there = above;
  }
  const said = askGit(there, ["rev-parse", "--path-format=absolute", "--git-common-dir"])?.trim();
  return said === undefined || said === "" ? null : said;
}

function readRepository(commonDir: string): Repository {
  const remotes = askGit(commonDir, ["config", "--get-regexp", String.raw`^remote\..*\.url$`]) ?? "";
  const urls = remotes.split("\n").flatMap((line) => {
    const [key, url] = line.split(" ", 2);
    return key === undefined || url === undefined ? [] : [{ isOrigin: key === "remote.origin.url", url }];
  });
  const url = hideCredentials((urls.find(({ isOrigin }) => isOrigin) ?? urls[0])?.url ?? "");
  return { commonDir, url, name: nameRemote(url) ?? nameFolder(commonDir) };
}

const hideCredentials = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^@/]*@/, "$1");

/** Of `https://host/owner/name.git` and `git@host:owner/name.git`; null for a path on this disk. */
const nameRemote = (url: string): string | null =>
  /^(?:[a-z+]+:\/\/[^/]+\/|[^@/:]+@[^:/]+:)(.+?)(?:\.git)?\/?$/.exec(url)?.[1] ?? null;

const nameFolder = (commonDir: string): string =>
  basename(commonDir) === ".git" ? basename(dirname(commonDir)) : basename(commonDir, ".git");

/** What is known of a folder that is gone: its name, which a history says is a repository's or within one. */
export const nameGoneFolder = (folder: string): string => (existsSync(folder) ? "" : basename(folder));
