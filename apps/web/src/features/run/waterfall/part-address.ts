/** Where the parts of a run are asked for, from either end. */
import type { PartName } from "./run-parts.ts";

/** `run` is the run's own address, with the workspace it is of. */
export function partAddress(
  run: string,
  part: PartName | "skeleton",
  params: Readonly<Record<string, string>> = {},
): string {
  const [path = "", search] = run.split("?", 2);
  const all = new URLSearchParams([...new URLSearchParams(search), ...Object.entries(params)]);
  return `${path}/${part}${all.size === 0 ? "" : `?${all}`}`;
}
