/**
 * Attributes that also have a column of their own, because many questions begin with them, and the words that records are
 * told by: data for the decoder, which knows them by the names of its constants (assembly/{lifted-values,words}.ts).
 */
import { isUsageAttribute, modelSpanMarks } from "@centspan/dialects";
import { METRIC_TYPES, SPAN_KINDS, SPAN_STATUSES, TEMPORALITIES } from "@centspan/model";
import type { Exports, KeyClass, WordList } from "./decoder-exports.ts";

const OPERATION = "gen_ai.operation.name";

const KEYS: Readonly<Record<string, KeyClass>> = {
  "service.name": "SERVICE",
  "centspan.layer": "LAYER",
  "centspan.team.id": "TEAM",
  "gen_ai.request.model": "MODEL",
  "centspan.task.id": "TASK",
  "centspan.run.id": "RUN_ID",
  "event.name": "EVENT_NAME",
  "gen_ai.conversation.id": "CONVERSATION",
  "session.id": "SESSION",
  "conversation.id": "OLD_CONVERSATION",
  "thread.id": "THREAD",
  [OPERATION]: "OPERATION",
};

const WORDS: readonly (readonly [WordList, readonly string[]])[] = [
  // The last one is for records that name none of the others.
  ["LAYERS", ["harness", "api", "inference", "other"]],
  ["OPERATIONS_WITHOUT_MODEL", ["", "invoke_agent", "create_agent", "execute_tool"]],
  // An engine's steps and evictions serve many runs at once: they belong to a replica and are nobody's run.
  ["REPLICA_SPANS", ["inference.decode.step", "inference.kv.evict"]],
  ["SPAN_KINDS", SPAN_KINDS],
  ["SPAN_STATUSES", SPAN_STATUSES],
  ["METRIC_TYPES", METRIC_TYPES],
  ["TEMPORALITIES", TEMPORALITIES],
];

/** What emitters mark a model call's span with; of the standard operation any but a few is one. */
const MARKS = modelSpanMarks.filter(({ attribute }) => attribute !== OPERATION);

/** The class of an attribute's key: which value it is, or that it counts tokens; 0 for all others. */
export function createClassifier(wasm: Exports): (key: string) => number {
  const classes = new Map(Object.entries(KEYS).map(([key, name]) => [key, wasm[name].value]));
  MARKS.forEach(({ attribute }, i) => {
    classes.set(attribute, wasm.FIRST_MARK.value + i);
  });
  return (key) => classes.get(key) ?? (isUsageAttribute(key) ? wasm.USAGE.value : 0);
}

export function listWords(wasm: Exports): { list: number; words: readonly string[] }[] {
  return [
    ...WORDS.map(([name, words]) => ({ list: wasm[name].value, words })),
    ...MARKS.map(({ values }, i) => ({ list: wasm.MARKS.value + i, words: values })),
  ];
}
