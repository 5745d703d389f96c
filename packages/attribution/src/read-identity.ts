/**
 * Whose spend a call is: from its span, else from the nearest ancestor that says so, else from its resource.
 * Key id and key name always come from one place, so that no key gets another's name.
 */
import { type CallIdentity, PROVENANCES, type Provenance, type SpanRecord } from "@centspan/model";

type Attributes = Record<string, string>;

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

/** `sessionId` is what the span's own dialect calls its session. Without a task, the task is the session. */
export function readIdentity(
  span: SpanRecord,
  ancestors: readonly SpanRecord[],
  sessionId: string,
): CallIdentity & { provenance: Provenance } {
  const places = [span, ...ancestors].map(({ attributes }) => attributes);
  places.push(span.resourceAttributes);
  const find = (names: readonly string[]): string => findFirst(places, names);
  const keyed = places.find((place) => place[KEY_ID] || place[KEY_NAME]);
  const session = sessionId || find(CANDIDATES.sessionId);
  return {
    keyId: keyed?.[KEY_ID] ?? "",
    key: keyed?.[KEY_NAME] ?? "",
    team: find(CANDIDATES.team),
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
