/**
 * What an import remembers until the next one, in a file of its own for each target: how far each history was read, what was
 * counted, and what was seen of the work. Written whole and renamed into place after what it says is acknowledged: whoever
 * is ended in between sends something again, which changes nothing, and leaves out nothing. Holds a key: mode 600.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { emptySeenWork, seenWorkSchema } from "./seen-work.ts";

const VERSION = 1;

const progressSchema = z.object({
  bytes: z.number(),
  lines: z.number(),
  lastLine: z.string(),
  lastLineBytes: z.number(),
  reader: z.unknown(),
  tracer: z.unknown(),
});
const fileSchema = z.object({
  place: z.string(),
  path: z.string(),
  bytes: z.number(),
  modifiedMs: z.number(),
  isClosed: z.boolean(),
  progress: progressSchema,
});
const stateSchema = z.object({
  version: z.literal(VERSION),
  /** Of the collector that it was sent to: another one has none of it. */
  target: z.string(),
  key: z.string(),
  import: z
    .object({ version: z.literal(VERSION), ledger: z.string(), files: z.record(z.string(), fileSchema) })
    .nullable(),
  seen: seenWorkSchema,
  /** Ids of spans and outcomes that local clones gave. */
  told: z.array(z.string()),
});
export type LocalState = z.infer<typeof stateSchema>;

const emptyState = (target: string): LocalState => ({
  version: VERSION,
  target,
  key: "",
  import: null,
  seen: emptySeenWork(),
  told: [],
});

export const statePath = (dataDir: string, name: string): string =>
  join(dataDir, "histories", `${name.replace(/[^\w.-]+/g, "_")}.json`);

/** One that can't be read, or is of another target, is none: all is read again, and counts once all the same. */
export function readState(path: string, target: string): { state: LocalState; note: string } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return { state: emptyState(target), note: "" };
  }
  const parsed = stateSchema.safeParse(parseOrNull(text));
  if (!parsed.success) return { state: emptyState(target), note: `${path} can't be read, so all is read again` };
  if (parsed.data.target === target) return { state: parsed.data, note: "" };
  return { state: emptyState(target), note: "what was imported before went elsewhere, so all is read again" };
}

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

export function writeState(path: string, state: LocalState): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
  renameSync(draft, path);
}
