/**
 * Attributes that also have a column of their own, because many questions begin with them. While the attributes of a
 * record go by, the places of these values are noted; afterwards they are appended to their columns.
 */
import { AttributesColumn } from "./attributes-column";
import { TextColumn } from "./column";
import { NameColumn } from "./name-column";
import { appendWord, isOneOf, LAYERS, MARKS, MAX_LISTS, OPERATIONS_WITHOUT_MODEL } from "./words";

/** Classes of keys, as the host's `classify` gives them; 0 is for every other key. */
export const LAYER: u32 = 1;
export const TEAM: u32 = 2;
export const MODEL: u32 = 3;
export const TASK: u32 = 4;
export const RUN_ID: u32 = 5;
export const EVENT_NAME: u32 = 6;
/** A session's id is what the first of these three has that is there. */
export const CONVERSATION: u32 = 7;
export const SESSION: u32 = 8;
export const OLD_CONVERSATION: u32 = 9;
/** A conversation with Codex; with nearly everyone else the number of a thread of the operating system. */
export const THREAD: u32 = 10;
/** Any but a few is a model's. */
export const OPERATION: u32 = 11;
/** Of attributes that count tokens. */
export const USAGE: u32 = 12;
/** Of a resource, its service. */
export const SERVICE: u32 = 13;
/** The first of those that mark a model's span, one for each list from MARKS on. */
export const FIRST_MARK: u32 = 14;
/** There are fewer marks than lists: `addWord` ends the start of an instance that is given more. */
const CLASSES: u32 = FIRST_MARK + MAX_LISTS;
/** The last of LAYERS: of a record that names none. */
const OTHER_LAYER = 3;

export class LiftedValues {
  private readonly values: TextColumn;
  /** By class: where the latest value begins and ends in the sink of values; both 0 while there is none. */
  private readonly places: usize = heap.alloc(CLASSES * 8);
  private lastMark: u32 = 0;

  constructor(attributes: AttributesColumn) {
    this.values = attributes.values;
  }

  start(): void {
    memory.fill(this.places, 0, CLASSES * 8);
    this.lastMark = 0;
  }

  /** Called after each attribute with the class of its key. */
  note(keyClass: u32): void {
    if (keyClass === 0) return;
    const place = this.places + keyClass * 8;
    store<u32>(place, this.values.latest);
    store<u32>(place, this.values.sink.length, 4);
    this.lastMark = max(this.lastMark, keyClass);
  }

  private has(keyClass: u32): bool {
    return load<u32>(this.places + keyClass * 8, 4) > 0;
  }

  private offsetOf(keyClass: u32): u32 {
    return load<u32>(this.places + keyClass * 8);
  }

  private countOf(keyClass: u32): u32 {
    const place = this.places + keyClass * 8;
    return load<u32>(place, 4) - load<u32>(place);
  }

  private isOneOf(keyClass: u32, list: u32): bool {
    return isOneOf(list, this.values.sink.start + this.offsetOf(keyClass), this.countOf(keyClass));
  }

  appendName(keyClass: u32, column: NameColumn): void {
    column.append(this.values.sink.start + this.offsetOf(keyClass), this.countOf(keyClass), "");
  }

  appendText(keyClass: u32, column: TextColumn): void {
    column.appendCopy(this.values.sink, this.offsetOf(keyClass), this.countOf(keyClass));
  }

  appendSession(column: TextColumn): void {
    let found = CONVERSATION;
    while (found < THREAD && this.countOf(found) === 0) found += 1;
    if (found === THREAD && this.isNumber(THREAD)) column.appendEmpty();
    else this.appendText(found, column);
  }

  private isNumber(keyClass: u32): bool {
    const start = this.values.sink.start + this.offsetOf(keyClass);
    const count = this.countOf(keyClass);
    for (let i: u32 = 0; i < count; i++) if (u8(load<u8>(start + i) - 0x30) > 9) return false;
    return true;
  }

  appendLayer(column: NameColumn): void {
    if (this.isOneOf(LAYER, LAYERS)) this.appendName(LAYER, column);
    else appendWord(column, LAYERS, OTHER_LAYER);
  }

  /** Wider than what is billed, which the rules decide: records with usage, and model spans that came without any. */
  mayBeCall(): bool {
    if (this.has(USAGE)) return true;
    if (this.has(OPERATION) && !this.isOneOf(OPERATION, OPERATIONS_WITHOUT_MODEL)) return true;
    for (let mark = FIRST_MARK; mark <= this.lastMark; mark++) {
      if (this.has(mark) && this.isOneOf(mark, MARKS + mark - FIRST_MARK)) return true;
    }
    return false;
  }
}
