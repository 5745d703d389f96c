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
 * the tasks that were found out. `links` is how many the outcome has.
 */
export const selectLinkedOutcomes = (precedence: readonly LinkKind[]): string =>
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
       WHERE workspace = {workspace:String} AND kind IN ('tests', 'completed', 'approved')
     ) AS said
     LEFT JOIN (${LATEST_DECISIONS}) AS decided USING (outcome_id)
   )`;

const TASKS_DECIDED = "arrayMap(one -> ('task', one), decision.1)";

/** Which was said last, as one number, which is kept for less than a tuple is. Of one instant it is any, but always the same. */
const LATEST = "bitShiftLeft(toUInt128(toUnixTimestamp64Nano(at)), 64) + cityHash64(outcome_id)";
/** When an outcome was said, and, where more than that is asked for, which it is. */
export const SAID_AT = "toUnixTimestamp64Nano(at)";
export const SAID_IN_FULL = `(${SAID_AT}, outcome_id, source, linked_by)`;

/** Whether the work itself is refused, by the latest word on it. */
const IS_REFUSED = `argMaxIf(status, ${LATEST}, kind = 'approved') = 'failed'`;

/** Over linked outcomes of one subject. `deciding` is what is asked of the outcome that decides: little is kept for less. */
export function judgeBy(asked: string) {
  // What tests said, newest first: (when, which test, how bad it is, status, asked). A test is what a source calls so in a repository.
  const saidByTests = `arrayReverseSort(one -> one.1, groupArrayIf((
    ${LATEST}, (source, test_repository, test_name),
    indexOf(['passed', 'unknown', 'partial', 'failed'], status), status, ${asked}), kind = 'tests'))`;
  // The worst of what each test said last, so that no test hides what another says; that came last, if several are as bad.
  const worstTest = `arrayReverseSort(one -> (one.3, one.1),
    arrayFilter((one, nth) -> nth = 1, ${saidByTests}, arrayEnumerateUniq(${saidByTests}.2)))[1]`;
  return {
    /** '' where there are none. */
    testsStatus: `if(countIf(kind = 'tests') > 0 AND ${IS_REFUSED}, 'failed', ${worstTest}.4)`,
    /** Whether it had passed before it was refused. */
    isReverted: `${IS_REFUSED} AND (${worstTest}.4 = 'passed' OR countIf(kind = 'approved' AND status = 'passed') > 0)`,
    deciding: `multiIf(
    ${IS_REFUSED}, argMaxIf(${asked}, ${LATEST}, kind = 'approved'),
    countIf(kind = 'tests') > 0, ${worstTest}.5,
    argMaxIf(${asked}, ${LATEST}, kind != 'tests'))`,
  };
}

export const TESTS_STATUS = judgeBy(SAID_AT).testsStatus;
/** '' where it has none but tests. */
export const OTHER_STATUS = `argMaxIf(status, ${LATEST}, kind != 'tests')`;

/** Who answers for it: who approved or merged it last, as evidence names them. */
export const ACCOUNTABLE = `argMaxIf(said_by, ${LATEST}, kind = 'approved' AND status = 'passed' AND said_by != '')`;

/** An outcome of several tasks gives each its part. */
export const REVIEW_MINUTES = `sum(review_minutes / greatest(links, 1))`;
