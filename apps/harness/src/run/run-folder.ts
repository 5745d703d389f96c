/** Where everything of one thread lies: `<work folder>/<run>` of the lead, `…/units/<name>` below it of a sub-agent. */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EVENTS_FILE } from "../events/event-log.ts";

export type RunFolder = {
  path: string;
  events: string;
  /** The working copy. */
  copy: string;
  /** Outputs of tools that were too long to be shown whole. */
  outputs: string;
  /** The working copy as it was before the call under way. */
  before: string;
};

export const describeRunFolder = (path: string): RunFolder => ({
  path,
  events: join(path, EVENTS_FILE),
  copy: join(path, "copy"),
  outputs: join(path, "outputs"),
  before: join(path, "before"),
});

export const describeUnitFolder = (run: RunFolder, unit: string): RunFolder =>
  describeRunFolder(join(run.path, "units", unit));

/** Folders in which files of the package lie, whatever they are called. */
const OF_A_PACKAGE = new Set(["copy", "before", "base", "outputs"]);

/** The event logs of a run, or of all runs of a work folder, in one order. */
export async function listEventLogs(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths
    .map((path) => path.split("/"))
    .filter((names) => names.at(-1) === EVENTS_FILE && !names.some((name) => OF_A_PACKAGE.has(name)))
    .map((names) => names.join("/"))
    .sort()
    .map((path) => join(folder, path));
}

/** The folders of units in which files of the package lie; their logs stay. */
export async function listUnitCopies(run: RunFolder): Promise<string[]> {
  const logs = await listEventLogs(run.path);
  const units = logs.map((log) => describeRunFolder(dirname(log))).filter(({ path }) => path !== run.path);
  return units.flatMap(({ path, copy, before, outputs }) => [copy, before, outputs, join(path, "base")]);
}
