/** Whether a finished run counts as completed, by rules that a workspace set. Pure: conditions are compared, never run. */
import type { CompletionRule, FinishedRun, OutcomeFinding } from "@centspan/model";

/** Null where the rule says nothing of the run. */
export function judgeCompletion(rule: CompletionRule, facts: FinishedRun): OutcomeFinding | null {
  if (rule.taskType !== undefined && rule.taskType !== facts.taskType) return null;
  const unmet = rule.when.filter((condition) => !holds(condition, facts));
  const status = unmet.length === 0 ? rule.status : rule.otherwise;
  if (status === undefined) return null;
  return {
    kind: "completed",
    status,
    evidence: { rule: rule.name, conditions: rule.when.length, unmet: unmet.map((one) => describe(one, facts)) },
  };
}

type Condition = CompletionRule["when"][number];

function holds({ fact, is, value }: Condition, facts: FinishedRun): boolean {
  const found = readFact(facts, fact);
  if (is === "absent") return found === "";
  if (is === "equal") return found === value;
  if (is === "not_equal") return found !== value;
  // What is no number is neither more nor less than one.
  const [number, bound] = [Number(found || Number.NaN), Number(value || Number.NaN)];
  return is === "at_most" ? number <= bound : number >= bound;
}

const readFact = ({ facts, attributes }: FinishedRun, fact: Condition["fact"]): string =>
  fact.startsWith("attribute:") ? (attributes[fact.slice("attribute:".length)] ?? "") : (facts[fact] ?? "");

const describe = ({ fact, is, value }: Condition, facts: FinishedRun): string =>
  `${fact} is ${JSON.stringify(readFact(facts, fact).slice(0, 200))}, not ${is.replace("_", " ")} ${JSON.stringify(value)}`;
