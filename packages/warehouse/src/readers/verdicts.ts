/**
 * Which outcome counts: the worst of the latest of each test, unless the latest word on the work itself is that it is refused or
 * reverted; where there are no tests, the latest that says completed or approved.
 * An outcome is tied to what it is about by links (a kind, and an id); readers join on links. What its subject names goes
 * before what was found out (outcome_links), and what a person decided before both; one that is parked has no link.
 */

/** What a subject can be tied by, as columns of `outcomes`. */
export const LINK_COLUMNS = { task: "task", run: "run_id", trace: "trace_id", session: "session_id" };
export type LinkKind = keyof typeof LINK_COLUMNS;

/** What an outcome of a run may name, strongest first. */
export const RUN_LINKS: readonly LinkKind[] = ["run", "trace", "task", "session"];

/** A link as a value: its kind and the id in a column. Both sides of a join write it so. */
export const linkTo = (kind: LinkKind, column: string): string => `('${kind}', toString(${column}))`;

/** The latest decision on each outcome that there is one on. */
export const LATEST_DECISIONS = `SELECT outcome_id, argMax((tasks, linked_by, reason, decided_by), revision) AS decision
   FROM outcome_links WHERE workspace = {workspace:String} GROUP BY outcome_id`;

/** What of an outcome decides, beside what it is linked by. */
const SAID = "status, kind, at, outcome_id, source, test_repository, test_name, said_by, review_minutes";

/**
 * Rows of (link, linked_by, links, and what is said), one for each link: the first of these members that the subject names, else
 * the tasks that were found out. `links` is how many the outcome has. `where` chooses outcomes by their own columns.
 */
export const selectLinkedOutcomes = (precedence: readonly LinkKind[], where = "true"): string =>
  `SELECT arrayJoin(own_links) AS link, linked_by, length(own_links) AS links, ${SAID}
   FROM (
     SELECT multiIf(
         decision.3 != '', [],
         decision.2 = 'person', ${TASKS_DECIDED},
         ${precedence.map((kind) => `${LINK_COLUMNS[kind]} != '', [${linkTo(kind, LINK_COLUMNS[kind])}]`).join(",\n         ")},
         ${TASKS_DECIDED}
       ) AS own_links,
       multiIf(decision.2 = 'person', 'person',
         ${precedence.map((kind) => `${LINK_COLUMNS[kind]} != '', '${kind}'`).join(", ")}, decision.2) AS linked_by,
       ${SAID}
     FROM (
       SELECT ${Object.values(LINK_COLUMNS).join(", ")}, ${SAID} FROM outcomes FINAL
       WHERE workspace = {workspace:String} AND kind IN ('tests', 'completed', 'approved') AND ${where}
     ) AS said
     LEFT JOIN (${LATEST_DECISIONS}) AS decided USING (outcome_id)
   )`;

const TASKS_DECIDED = "arrayMap(one -> ('task', one), decision.1)";

/** From best to worst. */
const STATUSES = "['passed', 'unknown', 'partial', 'failed']";
/**
 * When an outcome was said, which of one instant it is (any, but always the same) and how bad, as one number, which is kept and
 * compared for less than a tuple is: the greatest is the latest.
 */
const WORD = `bitShiftLeft(toUInt128(toUnixTimestamp64Nano(at)), 64)
    + bitOr(bitAnd(cityHash64(outcome_id), bitNot(toUInt64(7))), indexOf(${STATUSES}, status))`;
const statusOf = (word: string): string => `arrayPushFront(${STATUSES}, '')[1 + toUInt8(bitAnd(${word}, 7))]`;
/** Of these the greatest is the worst, and of those as bad the latest. */
const byBadness = (word: string): string => `bitShiftLeft(bitAnd(${word}, 7), 125) + bitShiftRight(${word}, 3)`;
/** When an outcome was said, and, where more than that is asked for, which it is. */
export const SAID_AT = "toUnixTimestamp64Nano(at)";
export const SAID_IN_FULL = `(${SAID_AT}, outcome_id, source, linked_by)`;

/**
 * By `link` or `spender`, of linked outcomes that have it: `tests_status` ('' where there are none), `other_status` ('' where there are
 * none but tests), `standing` of both, `is_reverted` (refused after it had passed), `deciding`: what is `asked` of the outcome that
 * decides, `accountable`: who approved or merged it last, as evidence names them, and `minutes` of review.
 * Of tests the worst decides of what each said last, so that no test hides what another says; of several as bad the last. A test is what
 * a source calls so in a repository. An outcome of several tasks gives each its part of the review.
 * In steps that name what the next one needs: all in one, the store takes longer to read the question than to answer it.
 */
export const selectVerdicts = (said: string, by: "link" | "spender", asked = SAID_AT): string =>
  `SELECT ${by}, multiIf(worst.1 = 0, '', is_refused, 'failed', worst_status) AS tests_status, ${statusOf("other")} AS other_status,
     if(tests_status != '', tests_status, other_status) AS standing,
     is_refused AND (worst_status = 'passed' OR was_approved) AS is_reverted,
     multiIf(is_refused, asked_of_approval, worst.1 != 0, worst.3, asked_of_other) AS deciding, accountable, minutes
   FROM (
     SELECT *, ${statusOf("approval")} = 'failed' AS is_refused,
       arrayReverseSort(one -> ${byBadness("one.1")},
         arrayFilter((one, nth) -> nth = 1, said_by_tests, arrayEnumerateUniq(said_by_tests.2)))[1] AS worst,
       ${statusOf("worst.1")} AS worst_status
     FROM (
       SELECT ${by}, maxIf(word, kind = 'approved') AS approval, maxIf(word, kind != 'tests') AS other,
         arrayReverseSort(one -> one.1, groupArrayIf((word, test, asked), kind = 'tests')) AS said_by_tests,
         argMaxIf(asked, word, kind = 'approved') AS asked_of_approval, argMaxIf(asked, word, kind != 'tests') AS asked_of_other,
         countIf(kind = 'approved' AND status = 'passed') > 0 AS was_approved,
         argMaxIf(said_by, word, kind = 'approved' AND status = 'passed' AND said_by != '') AS accountable,
         sum(part_minutes) AS minutes
       FROM (
         SELECT ${by}, kind, status, said_by, ${WORD} AS word, sipHash64(source, test_repository, test_name) AS test, ${asked} AS asked,
           review_minutes / greatest(links, 1) AS part_minutes
         FROM ${said}
       )
       GROUP BY ${by}
     )
   )`;
