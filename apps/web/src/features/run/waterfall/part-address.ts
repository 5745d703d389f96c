/** Where the parts of a run are asked for, from either end, and the page of one call's prompt. */
import type { PartName } from "./run-parts.ts";

/** `run` is the run's own address, with the workspace it is of. */
export const partAddress = (
  run: string,
  part: PartName | "skeleton",
  params: Readonly<Record<string, string>> = {},
): string => addressBelow(run, part, params);

export const promptAddress = (run: string, spanId: string): string => addressBelow(run, `prompt/${spanId}`, {});

function addressBelow(run: string, below: string, params: Readonly<Record<string, string>>): string {
  const [path = "", search] = run.split("?", 2);
  const all = new URLSearchParams([...new URLSearchParams(search), ...Object.entries(params)]);
  return `${path}/${below}${all.size === 0 ? "" : `?${all}`}`;
}
