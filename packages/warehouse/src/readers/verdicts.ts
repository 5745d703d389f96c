/**
 * Which outcome counts: the latest tests outcome; where there is none, the latest that says completed or approved.
 * An outcome is tied to its subject by one link (what it is about, and its id); readers join on links.
 */

/** What a subject can be tied by, as columns of `outcomes`. */
const LINK_COLUMNS = { task: "task", run: "run_id", trace: "trace_id", session: "session_id" };
export type LinkKind = keyof typeof LINK_COLUMNS;

/** What an outcome of a run may name, strongest first. */
export const RUN_LINKS: readonly LinkKind[] = ["run", "trace", "task", "session"];

/** A link as a value: its kind and the id in a column. Both sides of a join write it so. */
export const linkTo = (kind: LinkKind, column: string): string => `('${kind}', toString(${column}))`;

/** Rows of (link, status, kind, at, outcome_id), each linked by the first of these members that its subject names. */
export const selectLinkedOutcomes = (precedence: readonly LinkKind[]): string =>
  `SELECT multiIf(
     ${precedence.map((kind) => `${LINK_COLUMNS[kind]} != '', ${linkTo(kind, LINK_COLUMNS[kind])}`).join(",\n     ")},
     ('', '')
   ) AS link, status, kind, at, outcome_id
   FROM outcomes FINAL
   WHERE workspace = {workspace:String} AND kind IN ('tests', 'completed', 'approved')`;
