/**
 * Recommendations for who rents models: what the waste ledger found, as changes that a person can accept. Savings are the
 * ledger's, per month and by exact prices; a cause that can't be mended by a setting has its remedy in words.
 */
import type { RecommendationInput, WasteFixRow } from "@centspan/model";
import type { Advised } from "./verify-advice.ts";

type Advice = { knob: string; now: string; proposed: string; risk: string };

/** By cause. The others are advised by their remedy alone. */
const ADVICE: Readonly<Record<string, Advice>> = {
  history_resent: {
    knob: "cacheBreakpoints",
    now: "none",
    proposed: "after system text and tools, and at the last turn",
    risk: "a first write costs more than plain input; it pays from the second read on",
  },
  prefix_expired: {
    knob: "cacheTtl",
    now: "5m",
    proposed: "1h",
    risk: "writing for an hour costs more; threads that never wait gain nothing",
  },
  prefix_tools: {
    knob: "toolOrder",
    now: "changes",
    proposed: "the same tools, in one order, as the same bytes",
    risk: "a tool that is added in the middle of a thread is found by tool_search instead",
  },
  prefix_system: {
    knob: "systemText",
    now: "changes within threads",
    proposed: "fixed for a thread; what changes goes to its end",
    risk: "instructions at the end may weigh differently: compare pass rates before and after",
  },
  prefix_history: {
    knob: "historyEdits",
    now: "rewritten",
    proposed: "append only",
    risk: "long outputs have to be cut when they come in",
  },
  prefix_settings: {
    knob: "modelSwitch",
    now: "within a thread",
    proposed: "one model and effort for a thread",
    risk: "work that needs another model gets a thread, and context, of its own",
  },
  unused_tools: {
    knob: "toolSchemas",
    now: "all in every prompt",
    proposed: "core tools, the others deferred behind tool_search",
    risk: "a tool that is rarely needed takes one more turn to be found",
  },
  oversized_output: {
    knob: "toolOutputTokens",
    now: "unlimited",
    proposed: "10000",
    risk: "what is cut has to be read by range where it is needed",
  },
  repeated_tool: {
    knob: "toolResults",
    now: "read again",
    proposed: "used from the context",
    risk: "files that change meanwhile have to be read again",
  },
  failed_attempt: {
    knob: "attempts",
    now: "until the budget ends",
    proposed: "stopped when the same failure comes again",
    risk: "some attempts would have passed later: compare pass rates before and after",
  },
};

/** What saves less in a month than anybody would decide on. */
const LEAST_USD = 1;

/** Dearest first, as the ledger has them. The saving is cash: whoever rents pays by the token. */
export function adviseSpend(fixes: readonly WasteFixRow[], subject: string): RecommendationInput[] {
  return fixes
    .filter(({ savingPerMonthUsd }) => Number(savingPerMonthUsd) >= LEAST_USD)
    .map((fix) => {
      const advice = ADVICE[fix.cause] ?? {
        knob: fix.cause,
        now: fix.title,
        proposed: fix.remedy.slice(0, 200),
        risk: "",
      };
      const { keys, teams, calls, runs, interval, proof } = fix;
      const place = [fix.section, fix.path].filter((part) => part !== "").join(" at ");
      return {
        kind: "spend",
        subject: (keys.length > 0 ? keys.join(", ") : subject).slice(0, 200),
        title: `${fix.title}${place === "" ? "" : ` (${place})`}`.slice(0, 200),
        changes: [{ knob: advice.knob, now: advice.now, proposed: advice.proposed, effect: null }],
        effect: null,
        metric: "usd",
        savings: { capacityUsdMonth: "0", cashUsdMonth: fix.savingPerMonthUsd },
        provenance: fix.provenance ?? "estimated",
        evidence: {
          chosenOn: `${calls} calls of ${runs} runs since ${fix.since.slice(0, 10)}, teams ${teams.join(", ") || "none"}`,
          judgedOn:
            interval === null
              ? "fewer than seven days are known: the saving has no interval yet"
              : `saving a month ${interval.lowUsd} to ${interval.highUsd} USD, ${100 * interval.level}% interval by days`,
          traceIds: [...new Set(proof.map(({ traceId }) => traceId))].slice(0, 50),
          // By which it is found again what came of it.
          verdict: keys.length === 0 ? null : { waste: { cause: fix.cause, keys } satisfies Advised },
        },
        risks: advice.risk === "" ? [] : [advice.risk],
        apply: [{ engine: "agents", text: fix.remedy, cannot: [], undo: "" }],
      } satisfies RecommendationInput;
    });
}
