/** Queries that differ in case, spacing or Unicode form are the same query. */
export function normalizeQuery(query) {
  return query.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
}
