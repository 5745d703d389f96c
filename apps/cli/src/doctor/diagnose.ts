/**
 * What is wrong with a stack, and what to do about it. Pure: an examination in, findings out.
 * `wrong` is what loses, holds up or hides data, and gives exit code 1; a `note` is worth knowing.
 */
import { parseInstant } from "@centspan/base";
import { COLLECTOR_SERVICE, type CollectorStatus } from "@centspan/model";
import { formatBytes, formatCount, formatDuration } from "@centspan/ui/format";
import type { Examination } from "./examine.ts";
import { remedyOfCall, remedyOfRecord, remedyOfRequest } from "./remedies.ts";

export type Finding = { level: "wrong" | "note"; what: string; todo: string };

/** Data normally is in the warehouse within a second, and rated a few seconds later. */
const PATIENCE_S = 60;
const NEARLY_FULL = 0.8;
/** Ends of requests after which the sender keeps its data and sends it again. */
const RETRIED = new Set(["ok", "store_unavailable", "rate_limited", "not_ready", "interrupted"]);

export function diagnose(examination: Examination): Finding[] {
  const { parts, collector } = examination;
  if (parts.every(({ state }) => state === "away")) {
    return [
      wrong(
        `no stack is running (addresses from ${examination.addressesFrom})`,
        "start one with `npm start`; with --data DIR where its data is elsewhere",
      ),
    ];
  }
  return [
    ...findBrokenParts(examination),
    ...(collector === null ? [] : [...findSpoolFaults(collector), ...findRefusals(collector)]),
    ...findRatingDelay(examination),
    ...findUnreadable(examination),
    ...findUnrated(examination),
    ...findUnpaid(examination),
    ...findSilence(examination),
  ];
}

const wrong = (what: string, todo: string): Finding => ({ level: "wrong", what, todo });
const note = (what: string, todo: string): Finding => ({ level: "note", what, todo });

export const formatSeconds = (seconds: number): string => formatDuration(BigInt(Math.round(seconds * 1e9)));

/** "1 record", "1,204 records". */
const countOf = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

const logOf = (service: string): string => `its log is logs/${service}.log in the data folder`;

const WHAT_TO_DO: Record<string, string> = {
  warehouse: `the collector keeps what arrives meanwhile; see the ClickHouse server, or if it is embedded: ${logOf("embedded")}`,
  control: `known keys go on for ten minutes; see the PostgreSQL server, or if it is embedded: ${logOf("embedded")}`,
  collector: `senders keep trying for a while, then drop data; ${logOf("collector")}`,
};

function findBrokenParts({ parts }: Examination): Finding[] {
  return parts
    .filter(({ state }) => state !== "ok")
    .map(({ name, state, url, detail }) =>
      wrong(
        `${name} ${state === "away" ? "is away" : "is failing"}${url === null ? "" : ` at ${url}`}${detail === "" ? "" : `: ${detail}`}`,
        WHAT_TO_DO[name] ?? `start it again with the rest of the stack; ${logOf(name)}`,
      ),
    );
}

function findSpoolFaults({ spool, loader }: CollectorStatus): Finding[] {
  const findings: Finding[] = [];
  const waiting = `${formatBytes(spool.bytes)} of at most ${formatBytes(spool.maxBytes)} wait in the spool`;
  const full = spool.bytes >= NEARLY_FULL * spool.maxBytes;
  if (spool.refusal !== null) {
    findings.push(
      wrong(
        `new data is refused, last ${formatSeconds(spool.refusal.ageS)} ago: ${spool.refusal.message}`,
        "make room on the disk, bring the warehouse back, or raise CENTSPAN_SPOOL_MAX_BYTES; senders repeat what was refused",
      ),
    );
  } else if (full) {
    findings.push(wrong(waiting, "bring the warehouse back before it is full: then new data is refused with 503"));
  }
  if (loader.warehouseAway) {
    const why = loader.lastError === null ? "" : `: ${loader.lastError.message}`;
    findings.push(
      wrong(`the loader can't reach the warehouse${why}`, `nothing is lost while there is room: ${waiting}`),
    );
  } else if (spool.oldestAgeS !== null && spool.oldestAgeS > PATIENCE_S) {
    findings.push(
      wrong(
        `the oldest data has waited ${formatSeconds(spool.oldestAgeS)} to be loaded`,
        "the warehouse takes less than arrives: give it more CPU, or send less",
      ),
    );
  }
  if (loader.refusedFrames > 0) {
    findings.push(
      wrong(
        `batches that the warehouse refused for what they hold: ${formatCount(loader.refusedFrames)}`,
        "they are kept in the folder `refused` of the spool; report them, with logs/collector.log of the data folder",
      ),
    );
  }
  return findings;
}

function findRefusals({ rejected, requests }: CollectorStatus): Finding[] {
  const ofRecords = entriesOf(rejected).map(({ signal, code, count }) =>
    wrong(`${countOf(count, "record")} of ${signal} refused: ${code}`, remedyOfRecord(code)),
  );
  const ofRequests = entriesOf(requests)
    .filter(({ code }) => !RETRIED.has(code))
    .map(({ signal, code, count }) =>
      wrong(`${countOf(count, "request")} with ${signal} not taken: ${code}`, remedyOfRequest(code)),
    );
  return [...ofRecords, ...ofRequests];
}

const entriesOf = (counts: Record<string, Record<string, number>>): { signal: string; code: string; count: number }[] =>
  Object.entries(counts).flatMap(([signal, byCode]) =>
    Object.entries(byCode).map(([code, count]) => ({ signal, code, count })),
  );

export function ageOf(instant: string, { at }: Pick<Examination, "at">): number {
  const ageNs = (parseInstant(at) ?? 0n) - (parseInstant(instant) ?? 0n);
  return ageNs < 0n ? 0 : Number(ageNs) / 1e9;
}

const isOk = ({ parts }: Examination, ...names: string[]): boolean =>
  names.every((name) => parts.some((part) => part.name === name && part.state === "ok"));

/** While a store is away nothing can be rated, and that is said already. */
function findRatingDelay(examination: Examination): Finding[] {
  const { ratedThrough } = examination;
  if (!isOk(examination, "web", "warehouse", "control")) return [];
  const isRunning = "is the worker running?";
  if (ratedThrough === null) return [wrong("nothing has ever been rated", `${isRunning} ${logOf("worker")}`)];
  const todo = `${isRunning} if so, a very large trace may be in work, or one that failed waits to be tried again, while others go on; ${logOf("worker")}`;
  const ageS = ageOf(ratedThrough, examination);
  return ageS <= PATIENCE_S ? [] : [wrong(`rating is ${formatSeconds(ageS)} behind`, todo)];
}

/** What answers and still could not be asked: a key is missing or is another's. */
function findUnreadable(examination: Examination): Finding[] {
  const { collectorProblem, apiProblem } = examination;
  return [
    ...(collectorProblem !== null && isOk(examination, "collector")
      ? [wrong(`the collector's state can't be read: ${collectorProblem}`, "set CENTSPAN_INGEST_KEY, or --otlp-url")]
      : []),
    ...(apiProblem !== null && isOk(examination, "web", "warehouse", "control")
      ? [wrong(`sources and calls can't be read: ${apiProblem}`, "set CENTSPAN_API_KEY to a key of kind api")]
      : []),
  ];
}

function findUnrated({ unrated }: Examination): Finding[] {
  const [last] = unrated ?? [];
  if (!unrated || !last) return [];
  return [
    wrong(
      `${countOf(unrated.length, "trace")} can't be rated, and their calls are in no figure; the last, ${last.kind} ${last.id}: ${last.message}`,
      `they are tried again within ten minutes, and at each start of the worker; report it: ${logOf("worker")}`,
    ),
  ];
}

function findUnpaid({ calls }: Examination): Finding[] {
  if (calls === null) return [];
  const models = Object.entries(calls.unpricedModels).map(
    ([model, count]) => `${model === "" ? "(no model named)" : model} ${formatCount(count)}`,
  );
  const unpriced =
    calls.unpriced === 0
      ? []
      : [
          note(
            `${countOf(calls.unpriced, "call")} without a price: ${models.join(", ")}`,
            "their money is in no figure; add the model to a rate card in packages/pricing/src/cards",
          ),
        ];
  if (calls.quarantined === 0) return unpriced;
  const reasons = Object.entries(calls.quarantineReasons).map(
    ([reason, count]) => `${reason} ${formatCount(count)} (${remedyOfCall(reason)})`,
  );
  const told = Object.values(calls.quarantineReasons).reduce((sum, count) => sum + count, 0);
  if (told > 0 && told < calls.quarantined) reasons.push(`${formatCount(calls.quarantined - told)} not looked through`);
  const what = `${countOf(calls.quarantined, "call")} quarantined: usage that is missing or contradicts itself`;
  return [...unpriced, note(what, reasons.join("; ") || "GET /api/v1/calls has the reason of each")];
}

function findSilence({ sources, workspace }: Examination): Finding[] {
  if (sources === null || sources.some(({ service }) => service !== COLLECTOR_SERVICE)) return [];
  return [
    note(
      `workspace ${workspace} has received nothing from others in the last thirty days`,
      "docs/connect.md has the settings of each agent and SDK",
    ),
  ];
}
