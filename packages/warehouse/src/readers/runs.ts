/** What a run is named by, as SQL over the columns of `calls`: its id, or else its session, or else its trace. */
export const RUN_NAME = `multiIf(run_id != '', concat('run ', run_id), session_id != '', concat('session ', session_id), concat('trace ', trace_id))`;

/**
 * Calls of which waste can be found: those that a gateway of ours saw, and those of a recorded history, call by call. Of
 * others nothing is known but what they cost.
 */
export const IS_WATCHED = "(source = 'gateway' OR (source = 'import' AND requests = 1 AND trace_id != ''))";

/** A trace with more spans than a page could show, as SQL over the columns of `traces`: nothing of it is looked at. */
export const IS_TOO_LARGE = "spans > 100000";

/** Calls of which waste was looked for. The condition names the traces that are asked about, so that no others are read. */
export const isAnalysed = (ofTraces: string): string => `(${IS_WATCHED} AND trace_id NOT IN (
  SELECT trace_id FROM traces FINAL WHERE workspace = {workspace:String} AND ${IS_TOO_LARGE} AND ${ofTraces}
))`;
