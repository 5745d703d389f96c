/**
 * The latest response of each connection: what a request may build on with `previous_response_id`. Its input and what
 * the model said, as the text of JSON items joined by commas.
 * Bounded together: the connections that were used least recently forget first, and are then sent the whole input again.
 */
export type LatestResponse = { id: string; items: string };

export type LatestResponses = {
  find(connection: object, id: string): LatestResponse | null;
  keep(connection: object, response: LatestResponse): void;
  forget(connection: object): void;
};

export function createLatestResponses(maxChars: number): LatestResponses {
  const responses = new Map<object, LatestResponse>();
  let chars = 0;
  const forget = (connection: object): void => {
    chars -= responses.get(connection)?.items.length ?? 0;
    responses.delete(connection);
  };
  return {
    find(connection, id) {
      const found = responses.get(connection);
      return found?.id === id ? found : null;
    },
    keep(connection, response) {
      forget(connection);
      responses.set(connection, response);
      chars += response.items.length;
      for (const oldest of responses.keys()) {
        if (chars <= maxChars) break;
        forget(oldest);
      }
    },
    forget,
  };
}
