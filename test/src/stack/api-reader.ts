/** A script's view of the Trace API: plain HTTP with a key. */
export type Row = Record<string, unknown>;
export type Answer<Body = unknown> = { status: number; body: Body };
export type ApiReader = {
  /** Nothing is checked: the body is what the caller says that it is. */
  get<Body = unknown>(path: string): Promise<Answer<Body>>;
  /** The body; anything but 200 is an error. */
  getOk<T>(path: string): Promise<T>;
  /** All rows of a list, page by page. */
  listAll<T = Row>(path: string, pageSize?: number): Promise<T[]>;
};

export function createApiReader(webUrl: string, key: string): ApiReader {
  async function get<Body>(path: string): Promise<Answer<Body>> {
    const response = await fetch(`${webUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, body: await response.json() };
  }
  async function getOk<T>(path: string): Promise<T> {
    const { status, body } = await get<T>(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
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
