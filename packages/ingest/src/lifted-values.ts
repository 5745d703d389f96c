/**
 * Attributes that also have a column of their own, because many questions begin with them. While the attributes of a
 * record go by, the places of these values are noted; afterwards they are appended to their columns.
 */
import { isUsageAttribute, modelSpanMarks } from "@centspan/dialects";
import type { AttributesColumn } from "./native/attributes-column.ts";
import { type ByteSource, equalBytes, viewOf } from "./native/byte-sink.ts";
import type { TextColumn } from "./native/column.ts";
import type { NameColumn } from "./native/name-column.ts";

/** Keys by the number that stands for them, their class; 0 is for every other key. */
const KEYS = [""];
const lift = (key: string): number => KEYS.push(key) - 1;

export const LIFTED = {
  layer: lift("centspan.layer"),
  team: lift("centspan.team.id"),
  model: lift("gen_ai.request.model"),
  task: lift("centspan.task.id"),
  runId: lift("centspan.run.id"),
  eventName: lift("event.name"),
};
/** Where a session's id is found, first of all. */
const SESSIONS = [lift("gen_ai.conversation.id"), lift("session.id"), lift("conversation.id")];
/** A conversation with Codex; with nearly everyone else the number of a thread of the operating system. */
const THREAD = lift("thread.id");
const OPERATION = lift("gen_ai.operation.name");
/** What emitters mark a model call's span with; of the standard operation any but a few is one. */
const MARKS = modelSpanMarks
  .filter(({ attribute }) => attribute !== KEYS[OPERATION])
  .map(({ attribute, values }) => ({ keyClass: lift(attribute), values: values.map(toSource) }));
/** Of attributes that count tokens. */
const USAGE = KEYS.length;

/** The class of an attribute's key: which value it is, or that it counts tokens; 0 for all others. */
export const classifyAttribute = (key: string): number => {
  const known = KEYS.indexOf(key);
  if (known > 0) return known;
  return isUsageAttribute(key) ? USAGE : 0;
};

function toSource(text: string): ByteSource {
  const bytes = Buffer.from(text);
  return { bytes, view: viewOf(bytes) };
}

const LAYERS = ["harness", "api", "inference"].map(toSource);
const OTHER_LAYER = toSource("other");
const OPERATIONS_WITHOUT_MODEL = ["", "invoke_agent", "create_agent", "execute_tool"].map(toSource);
const NONE = -1;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

export class LiftedValues {
  readonly #values: TextColumn;
  /** By class: the row of the latest value in the column of values. */
  readonly #rows = new Int32Array(USAGE + 1);

  constructor(attributes: AttributesColumn) {
    this.#values = attributes.value;
  }

  start(): void {
    for (let i = 0; i <= USAGE; i++) this.#rows[i] = NONE;
  }

  /** Called after each attribute with the class of its key. */
  note(keyClass: number): void {
    if (keyClass !== 0) this.#rows[keyClass] = this.#values.rows - 1;
  }

  appendName(keyClass: number, column: NameColumn): void {
    const row = this.#rowOf(keyClass);
    if (row === NONE) column.appendIndex(0);
    else column.append(this.#values.sink, this.#values.startOf(row), this.#values.endOf(row));
  }

  appendText(keyClass: number, column: TextColumn): void {
    this.#append(this.#rowOf(keyClass), column);
  }

  appendSession(column: TextColumn): void {
    for (const keyClass of SESSIONS) {
      const row = this.#rowOf(keyClass);
      if (row === NONE || this.#isEmpty(row)) continue;
      this.#append(row, column);
      return;
    }
    const thread = this.#rowOf(THREAD);
    this.#append(thread !== NONE && this.#isNumber(thread) ? NONE : thread, column);
  }

  appendLayer(column: NameColumn): void {
    const row = this.#rowOf(LIFTED.layer);
    if (this.#isOneOf(row, LAYERS)) this.appendName(LIFTED.layer, column);
    else column.append(OTHER_LAYER, 0, OTHER_LAYER.bytes.length);
  }

  /** Wider than what is billed, which the rules decide: records with usage, and model spans that came without any. */
  mayBeCall(): boolean {
    const operation = this.#rowOf(OPERATION);
    return (
      (this.#rows[USAGE] ?? NONE) !== NONE ||
      (operation !== NONE && !this.#isOneOf(operation, OPERATIONS_WITHOUT_MODEL)) ||
      MARKS.some(({ keyClass, values }) => this.#isOneOf(this.#rowOf(keyClass), values))
    );
  }

  #rowOf(keyClass: number): number {
    return this.#rows[keyClass] ?? NONE;
  }

  #isEmpty(row: number): boolean {
    return this.#values.startOf(row) === this.#values.endOf(row);
  }

  #isNumber(row: number): boolean {
    const { view } = this.#values.sink;
    const end = this.#values.endOf(row);
    for (let at = this.#values.startOf(row); at < end; at++) {
      const byte = view.getUint8(at);
      if (byte < DIGIT_0 || byte > DIGIT_9) return false;
    }
    return true;
  }

  #append(row: number, column: TextColumn): void {
    if (row === NONE) column.appendEmpty();
    else column.append(this.#values.sink, this.#values.startOf(row), this.#values.endOf(row));
  }

  #isOneOf(row: number, candidates: readonly ByteSource[]): boolean {
    if (row === NONE) return false;
    const start = this.#values.startOf(row);
    const count = this.#values.endOf(row) - start;
    for (const name of candidates) {
      if (name.bytes.length === count && equalBytes(name, 0, this.#values.sink, start, count)) return true;
    }
    return false;
  }
}
