/**
 * Tasks with what became of them and what of their work was paid for twice, made in the store itself from calls that are there:
 * of twenty tasks one is pending, one is a session that the rules of linking tied to its pull request, two were decided by run,
 * and the others by reports that name them. Every tenth was approved by a person, too.
 */
import { type IngestStack, WORKSPACE } from "../stack/ingest-stack.ts";
import type { CallValues } from "./fill-calls.ts";

export const CALLS_OF_TASK = 20;

const TASK = `intDiv(n, ${CALLS_OF_TASK})`;
/** Of every third task the last calls are those of a second run. */
const RUN = `${TASK} * 2 + (${TASK} % 3 = 0 AND n % ${CALLS_OF_TASK} >= 12)`;
const METERS = ["input", "cache_read", "cache_write_5m", "output_text", "output_reasoning"];

/** What `fillCalls` is to write. */
export const TASK_CALLS: CallValues = {
  task: `concat('TICKET-', toString(${TASK}))`,
  task_type: `['bug', 'feature', 'review'][1 + ${TASK} % 3]`,
  team: `concat('team-', toString(${TASK} % 12))`,
  key_id: `concat('key_', toString(${TASK} % 500))`,
  key: `concat('agent-', toString(${TASK} % 500))`,
  trace_id: `lower(hex(sipHash128(${RUN})))`,
  run_id: `lower(hex(sipHash64(${RUN})))`,
  session_id: `lower(hex(sipHash64(${RUN}, 's')))`,
  cost_status: "'rated'",
  price_entry_id: "'entry'",
  rating_run_id: "'bench'",
  cost_usd: `(${METERS.join(" + ")}) * toDecimal128('0.000001000001', 12)`,
};

const CAUSES = ["prefix_system", "prefix_tools", "retry", "evicted_prefill", "failed_attempt", "serial_tools"];
const LAYERS = ["harness", "harness", "api", "inference", "harness", "harness"];
const list = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(", ")}]`;

/** A task's number, its last run, and when it was over. */
const TASKS = `SELECT task, toUInt64(substring(task, 8)) AS n, sipHash64(n) AS h, argMax(run_id, at) AS last_run, max(at) AS over
  FROM calls WHERE workspace = '${WORKSPACE}' GROUP BY task`;

const PLACE = "concat('acme/repo-', toString(n % 60))";
const REPORT = `concat('{"name":"pytest","passed":', toString(h % 900), ',"failed":', toString(h % 3), ',"skipped":0,"exitCode":',
  toString(h % 2), ',"names":["tests/test_', toString(h % 40), '.py › test_round_trip"],"durationMs":', toString(h % 90000), '}')`;

export async function fillOutcomes(stack: IngestStack): Promise<void> {
  await stack.query(
    `INSERT INTO outcomes (workspace, outcome_id, task, run_id, pull_request, kind, status, weight, source, evidence, at, revision)
     SELECT '${WORKSPACE}', concat('tests_', task), if(n % 20 > 3, task, ''), if(n % 20 IN (2, 3), last_run, ''),
       if(n % 20 = 1, concat(${PLACE}, '#', toString(n)), ''),
       'tests', multiIf(h % 10 < 7, 'passed', h % 10 = 7, 'partial', 'failed'), 1, 'junit', ${REPORT}, over, 1
     FROM (${TASKS}) WHERE n % 20 > 0
     UNION ALL
     SELECT '${WORKSPACE}', concat('approved_', task), task, '', '', 'approved', if(h % 30 = 0, 'failed', 'passed'), 1, 'approval',
       concat('{"by":"person-', toString(h % 40), '@acme.test","reviewMinutes":', toString(1 + h % 25), '}'), over + INTERVAL 1 HOUR, 1
     FROM (${TASKS}) WHERE n % 10 = 5`,
  );
  await stack.query(
    `INSERT INTO outcome_links (workspace, outcome_id, tasks, linked_by, reason, decided_by, revision)
     SELECT '${WORKSPACE}', concat('tests_', task), [task], 'pull_request', '', 'rules', 1 FROM (${TASKS}) WHERE n % 20 = 1`,
  );
  await stack.query(
    `INSERT INTO work_marks (workspace, trace_id, session_id, repository, branch, commit, pull_request, at)
     SELECT '${WORKSPACE}', trace_id, session_id, ${PLACE}, concat('fix-', toString(n)), lower(hex(SHA1(trace_id))),
       concat(${PLACE}, '#', toString(n)), first_at
     FROM (
       SELECT trace_id, min(session_id) AS session_id, toUInt64(substring(min(task), 8)) AS n, min(at) AS first_at
       FROM calls WHERE workspace = '${WORKSPACE}' GROUP BY trace_id
     )`,
  );
  await stack.query(
    `INSERT INTO traces (workspace, trace_id, has_root, started_at, ended_at, first_started_at, last_started_at, last_ended_at, spans, task, run_id, team, revision)
     SELECT workspace, trace_id, true, min(at), max(at), min(at), max(at), max(at), 4 * count(), min(task), min(run_id), min(team), 1
     FROM calls WHERE workspace = '${WORKSPACE}' GROUP BY workspace, trace_id`,
  );
  await stack.query(
    `INSERT INTO waste_items (workspace, run, item_id, cause, layer, kind, at, call_id, run_id, trace_id, span_id, key_id, key, team,
       task, task_type, repository, provider, model, cost_usd, seconds, confidence, provenance, evidence, content_hash, revision, deleted)
     SELECT workspace, concat('run ', run_id), concat('item_', call_id), ${list(CAUSES)}[1 + h % 6] AS cause, ${list(LAYERS)}[1 + h % 6],
       if(cause = 'failed_attempt', 'failed', 'repeated'), at, call_id, run_id, trace_id, span_id, key_id, key, team, task, task_type,
       repository, provider, model, if(cause = 'serial_tools', toDecimal128(0, 12), cost_usd / 3), 0.5, 'certain', 'derived',
       concat('{"section":"system","path":"$.input[', toString(cityHash64(key) % 5), ']","change":"clock","knownTokens":20000,"repeatedTokens":15000}'),
       1, 1, 0
     FROM (SELECT *, cityHash64(call_id) AS h FROM calls WHERE workspace = '${WORKSPACE}') WHERE intDiv(h, 6) % 3 = 0`,
  );
}
