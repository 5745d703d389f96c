/** The one order of documents: newest first, then by id. */
export function compareDocuments(a, b) {
  if (a.indexedAt !== b.indexedAt) return b.indexedAt - a.indexedAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** Whether a document comes after a position in that order. */
export function isAfter(document, position) {
  return document.indexedAt < position.indexedAt;
}
