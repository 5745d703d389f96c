/** Where everything of one thread lies: `<work folder>/<run>` of the lead, `…/units/<name>` below it of a sub-agent. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
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

export const unitFolder = (run: string, unit: string): string => join(run, "units", unit);

/** The event logs of a run, or of all runs of a work folder, in one order. */
export async function listEventLogs(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths
    .filter((path) => path.split("/").at(-1) === EVENTS_FILE && !path.split("/").includes("copy"))
    .sort()
    .map((path) => join(folder, path));
}
