import { decodeCursor, encodeCursor } from "./cursor.js";
import { compareDocuments, isAfter } from "./order.js";

const MAX_LIMIT = 100;

/** One page of an index: `{ documents, nextCursor }`; `nextCursor` is null on the last page. */
export function readPage(index, { limit = 20, cursor = null } = {}) {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RangeError(`limit must be 1 to ${MAX_LIMIT}`);
  }
  const position = cursor === null ? null : decodeCursor(cursor);
  const rest = index
    .all()
    .filter((document) => position === null || isAfter(document, position))
    .sort(compareDocuments);
  const documents = rest.slice(0, limit);
  const nextCursor = rest.length > limit ? encodeCursor(documents[documents.length - 1]) : null;
  return { documents, nextCursor };
}
