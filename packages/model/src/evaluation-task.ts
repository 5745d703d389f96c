/** How tasks of evaluation runs are named: what is run again stays told apart from the work it repeats. */

const PREFIX = "eval";

/** `repeat` counts from 1. Printable ASCII without spaces, as it travels in a header. */
export const nameEvaluationTask = (of: { set: string; way: string; task: string; repeat: number }): string =>
  [PREFIX, of.set, encodeURIComponent(of.way), encodeURIComponent(of.task), of.repeat].join("/");

/** Null for a task of any other kind. */
export function readEvaluationTask(name: string): { set: string; way: string; task: string } | null {
  const [prefix, set, way, task, repeat] = name.split("/");
  if (prefix !== PREFIX || !set || !way || !task || !/^[1-9]\d*$/.test(repeat ?? "")) return null;
  try {
    return { set, way: decodeURIComponent(way), task: decodeURIComponent(task) };
  } catch {
    return null;
  }
}
