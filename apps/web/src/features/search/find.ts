/**
 * What an id, or a part of a name, may be of: runs, keys, tasks, pull requests and branches, requests as the provider calls them.
 * Each place is asked in its own words of the Trace API; nothing here knows a store.
 */
import type { ApiClient } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import type { TraceRow } from "@centspan/model";

export const FOUND_KINDS = ["run", "key", "task", "pullRequest", "branch", "request"] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];
/** `params` are of the address beside workspace and period. */
export type Found = { kind: FoundKind; name: string; note: string; path: string; params: Record<string, string> };

const MOST_OF_KIND = 5;
const TRACE_ID = /^[0-9a-f]{32}$/;
/** Under which names spans have what the provider, or a client, calls a request. */
const REQUEST_NAMES = ["gen_ai.response.id", "centspan.provider.request_id", "centspan.request.id"];

export async function find(api: ApiClient, text: string): Promise<Found[]> {
  const asked = text.trim();
  if (asked === "") return [];
  const lists = await Promise.all([
    findRuns(api, asked),
    findKeys(api, asked),
    findTasks(api, asked),
    findWork(api, asked),
    findRequests(api, asked),
  ]);
  return lists.flat();
}

const toRun = (kind: "run" | "request", { traceId, title, task, name }: TraceRow, called: string): Found => ({
  kind,
  name: called,
  note: title || task || name,
  path: `/runs/${traceId}`,
  params: {},
});

async function findRuns(api: ApiClient, text: string): Promise<Found[]> {
  const limit = String(MOST_OF_KIND);
  const questions = TRACE_ID.test(text)
    ? [{ traceId: text, limit }]
    : [
        { runId: text, limit },
        { sessionId: text, limit },
      ];
  const pages = await Promise.all(questions.map((question) => api.traces(question)));
  const rows = new Map(pages.flatMap(({ data }) => data.map((row) => [row.traceId, row])));
  return [...rows.values()].slice(0, MOST_OF_KIND).map((row) => toRun("run", row, row.runId || row.traceId));
}

const matches = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

async function findKeys(api: ApiClient, text: string): Promise<Found[]> {
  const { data } = await api.keys();
  return data
    .filter(({ name, keyId }) => matches(name, text) || keyId === text)
    .slice(0, MOST_OF_KIND)
    .map(({ name, kind }) => ({
      kind: "key",
      name,
      note: kind,
      path: `/keys/${encodeURIComponent(name)}`,
      params: {},
    }));
}

async function findTasks(api: ApiClient, text: string): Promise<Found[]> {
  const { data } = await api.traces({ task: text, limit: "1" });
  return data.map(({ task, title }) => ({
    kind: "task",
    name: task || text,
    note: title,
    path: "/runs",
    params: { task: text, period: "all" },
  }));
}

async function findWork(api: ApiClient, text: string): Promise<Found[]> {
  const answers = await Promise.all(
    (["pullRequest", "branch"] as const).map(async (groupBy) => {
      const { data } = await api.costOfWork({ groupBy, limit: "200" });
      return data
        .filter(({ group }) => matches(group, text))
        .slice(0, MOST_OF_KIND)
        .map(
          ({ group, repository }): Found => ({
            kind: groupBy,
            name: group,
            note: repository,
            path: "/outcomes",
            params: { groupBy, period: "all" },
          }),
        );
    }),
  );
  return answers.flat();
}

async function findRequests(api: ApiClient, text: string): Promise<Found[]> {
  if (TRACE_ID.test(text) || text.length < 6) return [];
  const pages = await Promise.all(
    REQUEST_NAMES.map((name) => api.traces({ attribute: `${name}=${text}`, limit: "1" }).catch(noneOfThat)),
  );
  return pages.flatMap(({ data }) => data.map((row) => toRun("request", row, text)));
}

/** An id may be no value of an attribute: then there is none. */
function noneOfThat(error: unknown): { data: TraceRow[] } {
  if (error instanceof CentspanError && error.code === "invalid_request") return { data: [] };
  throw error;
}
