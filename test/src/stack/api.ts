/** A script's view of the Trace API: plain HTTP with a key. */
import { inject } from "vitest";

export type Row = Record<string, unknown>;
type Answer = { status: number; body: unknown };

export async function getApi(path: string, key = inject("connection").apiKey): Promise<Answer> {
  const response = await fetch(`${inject("connection").webUrl}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: response.status, body: await response.json() };
}

export async function getOk<T>(path: string): Promise<T> {
  const { status, body } = await getApi(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body as T;
}

/** All rows of a list, page by page. */
export async function listAll<T = Row>(path: string, pageSize = 100): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: T[]; nextCursor: string | null } = await getOk(
      `${path}${path.includes("?") ? "&" : "?"}limit=${pageSize}${next}`,
    );
    rows.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}
