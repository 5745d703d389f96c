/** "These five things were paid twice", and what it all came to, as text for a terminal. Money to the cent. */
import type { CostRow, WasteItemRow } from "@centspan/model";
import { formatCount as count, formatBareMoney } from "@centspan/ui/format";
import { formatTable } from "../report.ts";
import type { LocalFigures, PaidTwice } from "./read-figures.ts";

const MOST_ROWS = 8;

/** Rounded once, as the pages do; less than a cent says so. */
export const toCents = (amount: string): string => formatBareMoney(amount, 2);

export const shareOf = (part: string, whole: string): string =>
  Number(whole) === 0 ? "–" : `${((Number(part) / Number(whole)) * 100).toFixed(1)}%`;

export function formatFigures({ byModel, byRepository }: LocalFigures): string {
  return [
    "What it would cost at list prices (what you paid for seats is another figure)",
    formatTable(
      [
        ["model", "calls", "tokens", "of them cached", "USD at list"],
        ...byModel.slice(0, MOST_ROWS).map(describeModel),
      ],
      1,
    ),
    ...describeUnpriced(byModel),
    "",
    formatTable(
      [["repository", "calls", "USD at list"], ...byRepository.slice(0, MOST_ROWS).map(describeRepository)],
      1,
    ),
  ].join("\n");
}

export function formatPaidTwice({ paidTwice, total }: LocalFigures, page: (path: string) => string | null): string {
  const sum = `All spend ${toCents(total.spendUsd)} USD at list: ${toCents(total.wasteUsd)} (${shareOf(total.wasteUsd, total.spendUsd)}) paid twice, ${toCents(total.failedUsd)} on work whose last test run failed or that was reverted, ${toCents(total.notAnalysedUsd)} not analysed.`;
  if (paidTwice.length === 0) return `Nothing was paid for twice, as far as these histories tell.\n${sum}`;
  const head =
    paidTwice.length === 1 ? "This was paid twice" : `These ${nameCount(paidTwice.length)} things were paid twice`;
  return [head, ...paidTwice.map((one, index) => formatOne(one, index, page)), sum].join("\n");
}

const nameCount = (value: number): string => ["no", "one", "two", "three", "four", "five"][value] ?? String(value);

function formatOne({ title, remedy, sum, dearest }: PaidTwice, index: number, page: (path: string) => string | null) {
  const times = sum.calls === 1 ? "1 call" : `${count(sum.calls)} calls`;
  const link = dearest && page(`/runs/${dearest.traceId}?span=${dearest.spanId}`);
  return [
    `${index + 1}. ${toCents(sum.costUsd)} USD  ${title} (${times} in ${sum.runs} session${sum.runs === 1 ? "" : "s"})`,
    ...(dearest === null ? [] : [`   dearest: ${toCents(dearest.costUsd)} USD, ${describeCase(dearest)}`]),
    `   ${remedy}`,
    ...(link === null ? [] : [`   ${link}`]),
  ].join("\n");
}

/** Which turn of which day, both requests, and what was between them. */
export function describeCase({ at, model, evidence }: WasteItemRow): string {
  const { turn, requestId, previousRequestId, idleSeconds, repeatedTokens, tools } = evidence;
  const requests =
    requestId === undefined
      ? ""
      : previousRequestId === undefined
        ? `request ${requestId}`
        : `request ${requestId} after ${previousRequestId}`;
  return [
    `${at.slice(0, 16).replace("T", " ")} UTC`,
    turn === undefined ? "" : `turn ${turn}`,
    model,
    repeatedTokens === undefined ? "" : `${count(repeatedTokens)} tokens again`,
    idleSeconds === undefined ? "" : `idle ${describeIdle(idleSeconds)} before`,
    tools === undefined ? "" : [...new Set(tools)].slice(0, 3).join(", "),
    requests,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

const describeIdle = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

function describeModel({ group, calls, buckets, costUsd, unpricedCalls }: CostRow): string[] {
  const prompt = buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;
  const output = buckets.outputText + buckets.outputReasoning;
  const cached = prompt === 0 ? "–" : `${((buckets.cacheRead / prompt) * 100).toFixed(1)}%`;
  return [
    group || "(none)",
    count(calls),
    count(prompt + output),
    cached,
    unpricedCalls === calls ? "no price" : toCents(costUsd),
  ];
}

const describeRepository = ({ group, calls, costUsd }: CostRow): string[] => [
  group || "(no repository)",
  count(calls),
  toCents(costUsd),
];

/** Never zero instead: what has no price is in no sum. */
function describeUnpriced(rows: readonly CostRow[]): string[] {
  const unpriced = rows.filter(({ unpricedCalls }) => unpricedCalls > 0);
  return unpriced.length === 0
    ? []
    : [
        `Without a price, so in no sum: ${unpriced.map(({ group, unpricedCalls }) => `${group || "(no model)"} (${count(unpricedCalls)} calls)`).join(", ")}; give one with \`centspan prices\`.`,
      ];
}
