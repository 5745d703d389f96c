/** What the calls of runs say of them, and how long runs are, as SQL: the same for a list of runs and for one. */
import { PROVENANCES } from "@centspan/model";
import { nanoseconds } from "../instants.ts";

/** A root that only says when it began, as of a recorded history, has no length. */
const HAS_LENGTH = "has_root AND ended_at > started_at";

/** Over the columns of `traces`. A root's own length; without a root that has one, that of all there is. */
export const RUN_DURATION = `${nanoseconds(`if(${HAS_LENGTH}, ended_at, last_ended_at)`)}
  - ${nanoseconds(`if(${HAS_LENGTH}, started_at, first_started_at)`)}`;

/** Over the columns of `calls`. What a run is named by is what its first call says. */
export const RUN_SPEND = `count() AS calls, sum(cost_usd) AS spent_usd,
  ${["run_id", "task", "task_type", "session_id", "key", "team", "model"]
    .map((column) => `argMin(${column}, (at, call_id)) AS first_${column}`)
    .join(", ")},
  ${PROVENANCES.map((kind) => `sumIf(cost_usd, provenance = '${kind}') AS ${kind}`).join(", ")}`;
