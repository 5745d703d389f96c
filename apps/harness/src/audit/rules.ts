/**
 * What a reader of event logs looks for. Each rule is a pure function of one thread's events.
 * Add one: a function and a line in RULES.
 */
import { formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import { z } from "zod";
import { policySchema } from "../approval/policy.ts";
import { findingOf, type Rule, type ThreadRecord } from "./thread-record.ts";

/** Paths that lie outside of a package, and commands that name some. */
const LEAVES = /(^|[\s"'=:])(\.\.(\/|$)|~\/|\/(?!(bin|usr|lib|tmp|dev|proc)\b)[\w.])/;
const argumentsSchema = z.looseObject({ path: z.string().optional(), command: z.string().optional() });

function readArguments(json: string): z.infer<typeof argumentsSchema> {
  try {
    return argumentsSchema.safeParse(JSON.parse(json)).data ?? {};
  } catch {
    return {};
  }
}

const findScopeViolations: Rule = (thread) => {
  const finding = findingOf("scope", thread);
  return thread.events.flatMap((event) => {
    if (event.type !== "tool_done") return [];
    const { path, command } = readArguments(event.call.argumentsJson);
    const target = path ?? command;
    const ended = event.error === undefined ? "was made" : "was refused";
    if (target !== undefined && LEAVES.test(target)) {
      return [finding(event.at, `${event.call.name} ${JSON.stringify(target)}, which leaves the package, ${ended}`)];
    }
    if (event.error !== "forbidden") return [];
    return [
      finding(event.at, `${event.call.name} ${JSON.stringify(target ?? "")} went beyond what was allowed and ${ended}`),
    ];
  });
};

/** More than this to one host looks like something carried out. */
const MUCH_SENT_BYTES = 1024 * 1024;

const findUnusualEgress: Rule = (thread, known) => {
  const finding = findingOf("egress", thread);
  return thread.events.flatMap((event) => {
    if (event.type === "approval" && event.decision === "unconfined") {
      return [finding(event.at, `${event.tool} ${JSON.stringify(event.subject)} ran outside of its sandbox`)];
    }
    if (event.type !== "egress") return [];
    const { host, status, sentBytes, at } = event;
    return [
      ...(status === 403 ? [finding(at, `${host} was asked for and refused by the gateway`)] : []),
      ...(status !== 403 && known.size > 0 && !known.has(host)
        ? [finding(at, `${host} was reached for the first time`)]
        : []),
      ...(sentBytes > MUCH_SENT_BYTES ? [finding(at, `${sentBytes} bytes went to ${host}`)] : []),
    ];
  });
};

/** How often a limit may be raised before it is none. */
const RAISED_OFTEN = 3;
const MUCH_DEARER = 10;

const findBudgetAnomalies: Rule = (thread) => {
  const finding = findingOf("budget", thread);
  const segments = thread.events.flatMap((event) =>
    event.type === "started" || event.type === "resumed" ? [{ at: event.at, usd: event.limits.usd }] : [],
  );
  const raised = segments.filter(({ usd }, index) => {
    const before = segments[index - 1]?.usd;
    return before !== undefined && (usd === undefined || parseDecimal(usd).gt(parseDecimal(before)));
  });
  const often = raised[RAISED_OFTEN - 1];
  const last = segments.at(-1);
  return [
    ...(often === undefined ? [] : [finding(often.at, `the budget was raised ${raised.length} times`)]),
    ...findDearTurns(thread),
    ...(last?.usd === undefined ? [] : findOverspending(thread, last.usd)),
  ];
};

function findOverspending(thread: ThreadRecord, limit: string) {
  const turns = thread.events.filter((event) => event.type === "turn_answered");
  const unpriced = turns.find(({ costUsd }) => costUsd === null);
  const spent = sumDecimals(turns.flatMap(({ costUsd }) => (costUsd === null ? [] : [parseDecimal(costUsd)])));
  const finding = findingOf("budget", thread);
  return [
    ...(unpriced === undefined
      ? []
      : [finding(unpriced.at, `turn ${unpriced.turn} has no price, under a budget in USD`)]),
    ...(spent.gt(parseDecimal(limit))
      ? [finding(turns.at(-1)?.at ?? "", `${formatDecimal(spent)} USD were spent of ${limit}`)]
      : []),
  ];
}

function findDearTurns(thread: ThreadRecord) {
  const priced = thread.events.flatMap((event) =>
    event.type === "turn_answered" && event.costUsd !== null ? [{ ...event, cost: parseDecimal(event.costUsd) }] : [],
  );
  const median = priced.map(({ cost }) => cost).sort((a, b) => a.cmp(b))[priced.length >> 1];
  if (median === undefined || priced.length < 5) return [];
  const bound = median.times(parseDecimal(String(MUCH_DEARER)));
  const finding = findingOf("budget", thread);
  return priced
    .filter(({ cost }) => cost.gt(bound))
    .map(({ at, turn, costUsd }) =>
      finding(at, `turn ${turn} cost ${costUsd} USD, over ${MUCH_DEARER} times the median`),
    );
}

/** Nobody reads a command in less. */
const READING_MS = 400;
/** Approve by themselves what they do. */
const OPEN_TOOLS = new Set(["run_program", "delegate"]);

const findApprovalAnomalies: Rule = (thread) => {
  const finding = findingOf("approval", thread);
  const approvals = thread.events.filter((event) => event.type === "approval");
  const refusedOnce = new Set<string>();
  const odd = approvals.flatMap((event) => {
    const { subject, decision, waitMs, at } = event;
    const said = JSON.stringify(subject);
    const wasRefused = refusedOnce.has(subject);
    if (decision === "refused") {
      refusedOnce.add(subject);
      return [];
    }
    return [
      ...(waitMs !== null && waitMs < READING_MS
        ? [finding(at, `${said} was approved within ${Math.round(waitMs)} ms`)]
        : []),
      ...(wasRefused ? [finding(at, `${said} was approved after it had been refused`)] : []),
    ];
  });
  return [...odd, ...findUndecided(thread, approvals)];
};

function findUndecided(thread: ThreadRecord, approvals: readonly { callId: string; decision: string }[]) {
  const finding = findingOf("approval", thread);
  const allowed = new Set(approvals.filter(({ decision }) => decision !== "refused").map(({ callId }) => callId));
  const starts = new Set(thread.events.flatMap((event) => (event.type === "tool_started" ? [event.call.callId] : [])));
  return thread.events.flatMap((event) => {
    if (event.type !== "tool_done" || event.error !== undefined || OPEN_TOOLS.has(event.call.name)) return [];
    if (!starts.has(event.call.callId) || allowed.has(event.call.callId)) return [];
    return [finding(event.at, `${event.call.name} ran without a decision`)];
  });
}

const findLooseSandbox: Rule = (thread) => {
  const { sandbox, policy, at } = thread.start;
  const parsed = policySchema.safeParse(policy).data;
  if (sandbox !== "none" || parsed?.ask !== "never" || parsed.commands !== undefined) return [];
  return [findingOf("scope", thread)(at, "programs ran unconfined and unasked about")];
};

export const RULES: readonly Rule[] = [
  findScopeViolations,
  findLooseSandbox,
  findUnusualEgress,
  findBudgetAnomalies,
  findApprovalAnomalies,
];
