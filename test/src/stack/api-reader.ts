/** A script's view of the Trace API: plain HTTP with a key. */
export type Row = Record<string, unknown>;
export type Answer = { status: number; body: unknown };
export type ApiReader = {
  get(path: string): Promise<Answer>;
  /** The body; anything but 200 is an error. */
  getOk<T>(path: string): Promise<T>;
  /** All rows of a list, page by page. */
  listAll<T = Row>(path: string, pageSize?: number): Promise<T[]>;
};

export function createApiReader(webUrl: string, key: string): ApiReader {
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(`${webUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, body: await response.json() };
  };
  async function getOk<T>(path: string): Promise<T> {
    const { status, body } = await get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }
  return {
    get,
    getOk,
    async listAll<T = Row>(path: string, pageSize = 100): Promise<T[]> {
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
    },
  };
}
