/**
 * Whose spend a call is: from its record, else from the nearest span above it that says so, else from its resource.
 * Key id and key name always come from one place, so that no key gets another's name.
 */
import type { ModelFacts } from "@centspan/dialects";
import { type CallIdentity, PROVENANCES, type Provenance } from "@centspan/model";

type Attributes = Readonly<Record<string, string>>;

const CANDIDATES = {
  team: ["centspan.team.id", "team.id"],
  task: ["centspan.task.id"],
  taskType: ["centspan.task.type"],
  runId: ["centspan.run.id"],
  sessionId: ["gen_ai.conversation.id", "session.id"],
  role: ["centspan.role"],
  repository: ["centspan.repository"],
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

/** `own` is what the record's own dialect says. Without a task, the task is the session. */
export function readIdentity(
  places: readonly Attributes[],
  own: Pick<ModelFacts, "sessionId" | "keyId" | "key" | "team">,
): CallIdentity & { provenance: Provenance } {
  const find = (names: readonly string[]): string => findFirst(places, names);
  const keyed = places.find((place) => place[KEY_ID] || place[KEY_NAME]);
  const key = keyed ? { keyId: keyed[KEY_ID] ?? "", key: keyed[KEY_NAME] ?? "" } : { keyId: own.keyId, key: own.key };
  const session = own.sessionId || find(CANDIDATES.sessionId);
  return {
    ...key,
    team: find(CANDIDATES.team) || own.team,
    task: find(CANDIDATES.task) || session,
    taskType: find(CANDIDATES.taskType),
    runId: find(CANDIDATES.runId),
    sessionId: session,
    role: find(CANDIDATES.role),
    repository: find(CANDIDATES.repository),
    harnessVersion: find(CANDIDATES.harnessVersion),
    provenance: readProvenance(find([PROVENANCE])),
  };
}

function findFirst(places: readonly Attributes[], names: readonly string[]): string {
  for (const place of places) {
    for (const name of names) if (place[name]) return place[name];
  }
  return "";
}

const readProvenance = (text: string): Provenance => PROVENANCES.find((kind) => kind === text) ?? "measured";
