/**
 * Whose spend a call is: from its record, else from the nearest span above it that says so, else from its resource.
 * Key id and key name always come from one place, so that no key gets another's name. Which of our keys paid is for trusted
 * spans alone to say, of calls of their own; and of these nobody else says how they came to be.
 */
import type { ModelFacts } from "@centspan/dialects";
import { type CallIdentity, PROVENANCES, type Provenance } from "@centspan/model";
import { readRepository } from "./linking/read-place.ts";

type Attributes = Readonly<Record<string, string>>;

const CANDIDATES = {
  team: ["centspan.team.id", "team.id"],
  task: ["centspan.task.id"],
  taskType: ["centspan.task.type"],
  runId: ["centspan.run.id"],
  sessionId: ["gen_ai.conversation.id", "session.id"],
  role: ["centspan.role"],
  repository: ["centspan.repository", "vcs.repository.url.full", "vcs.owner.name", "vcs.repository.name"],
  harnessVersion: ["centspan.harness.version"],
} as const satisfies Partial<Record<keyof CallIdentity, readonly string[]>>;

const KEY_ID = "centspan.key.id";
const KEY_NAME = "centspan.key.name";
const PROVENANCE = "centspan.provenance";

export const identityAttributes: readonly string[] = [
  ...Object.values(CANDIDATES).flat(),
  KEY_ID,
  KEY_NAME,
  PROVENANCE,
];

type Field = keyof typeof CANDIDATES;
/** What one place says, empty where it says nothing. */
type Said = Record<Field, string> & { keyId: string; key: string; provenance: string };
type Own = Pick<ModelFacts, "sessionId" | "keyId" | "key" | "team">;

/** What says something, and whether its word counts. */
type Place = { attributes: Attributes; trusted: boolean };

/** `around` are the places beyond the record itself, nearest first: those of many calls, so that each is read once. */
export type IdentityReader = (
  record: Place,
  around: readonly Place[],
  own: Own,
) => CallIdentity & { provenance: Provenance };

/** `own` is what the record's own dialect says. Without a task, the task is the session. */
export function createIdentityReader(): IdentityReader {
  const known = new Map<Attributes, Said>();
  const recall = (place: Attributes): Said => {
    const said = known.get(place) ?? readPlace(place);
    known.set(place, said);
    return said;
  };
  return (record, around, own) => {
    const places = [readPlace(record.attributes)];
    for (const place of around) places.push(recall(place.attributes));
    const strong = record.trusted ? places.filter((_said, n) => n === 0 || around[n - 1]?.trusted === true) : [];
    const ownKey = record.trusted || !isOneOfOurs(own.keyId) ? own : NO_KEY;
    const keyed = strong.find(({ keyId, key }) => keyId !== "" || key !== "") ?? ownKey;
    const session = own.sessionId || findFirst(places, "sessionId");
    return {
      keyId: keyed.keyId,
      key: keyed.key,
      team: findFirst(places, "team") || own.team,
      task: findFirst(places, "task") || session,
      taskType: findFirst(places, "taskType"),
      runId: findFirst(places, "runId"),
      sessionId: session,
      role: findFirst(places, "role"),
      repository: findFirst(places, "repository"),
      harnessVersion: findFirst(places, "harnessVersion"),
      provenance: readProvenance(findFirst(record.trusted ? strong : places, "provenance")),
    };
  };
}

const NO_KEY = { keyId: "", key: "" };
/** As the control plane makes ids. What emitters call their own keys looks otherwise, or is meant to be mistaken. */
const isOneOfOurs = (keyId: string): boolean => keyId.startsWith("key_");

const readPlace = (place: Attributes): Said => ({
  team: readText(place, CANDIDATES.team),
  task: readText(place, CANDIDATES.task),
  taskType: readText(place, CANDIDATES.taskType),
  runId: readText(place, CANDIDATES.runId),
  sessionId: readText(place, CANDIDATES.sessionId),
  role: readText(place, CANDIDATES.role),
  repository: readRepository(place),
  harnessVersion: readText(place, CANDIDATES.harnessVersion),
  keyId: place[KEY_ID] ?? "",
  key: place[KEY_NAME] ?? "",
  provenance: place[PROVENANCE] ?? "",
});

function readText(place: Attributes, names: readonly string[]): string {
  for (const name of names) if (place[name]) return place[name];
  return "";
}

function findFirst(places: readonly Said[], field: keyof Said): string {
  for (const said of places) if (said[field] !== "") return said[field];
  return "";
}

const readProvenance = (text: string): Provenance => PROVENANCES.find((kind) => kind === text) ?? "measured";
