/**
 * The summary of a SWE-bench evaluation: which instances were resolved. Not an outcome source of one subject, but a
 * table of many; importers look each run's instance up in it.
 */
import { CentspanError } from "@centspan/base";

/** Shape: `{"instances": [{"instance_id": "django__django-1", "resolved": true}, …]}`; other members are ignored. */
export function readSwebenchResults(text: string): Map<string, boolean> {
  const parsed = parseJson(text);
  if (!hasMember(parsed, "instances") || !Array.isArray(parsed.instances)) throw invalid("instances", "is not a list");
  const results = new Map<string, boolean>();
  const instances: unknown[] = parsed.instances;
  for (const [index, instance] of instances.entries()) {
    const at = `instances[${index}]`;
    if (!hasMember(instance, "instance_id") || typeof instance.instance_id !== "string" || instance.instance_id === "")
      throw invalid(`${at}.instance_id`, "is missing");
    if (!hasMember(instance, "resolved") || typeof instance.resolved !== "boolean")
      throw invalid(`${at}.resolved`, "is not true or false");
    const known = results.get(instance.instance_id);
    if (known !== undefined && known !== instance.resolved)
      throw invalid(`${at}.resolved`, `contradicts an earlier entry of ${instance.instance_id}`);
    results.set(instance.instance_id, instance.resolved);
  }
  return results;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("file", `is not JSON: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

const hasMember = <K extends string>(value: unknown, name: K): value is Record<K, unknown> =>
  typeof value === "object" && value !== null && name in value;

const invalid = (field: string, what: string): CentspanError =>
  new CentspanError("invalid_file", `SWE-bench results: ${field}: ${what}`, { field });
