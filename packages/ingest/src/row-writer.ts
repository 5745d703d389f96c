/**
 * The rows of a block under construction, and what all signals share: workspace, resource and scope.
 * Invariant: every row has a value in every column; a refused record or body leaves nothing behind.
 */
import { BadValue, seenFrom, type Tally } from "./admission.ts";
import { AttributesColumn } from "./native/attributes-column.ts";
import type { Column } from "./native/column.ts";
import { NameColumn } from "./native/name-column.ts";
import type { WireReader } from "./wire/wire-reader.ts";

const SERVICE_NAME = 1;
/**
 * Two bytes on the wire may be a row, and what a resource says once stands in each of its rows: what a block comes to is
 * bounded by itself, since the length of the bodies says little of it.
 */
const MAX_WEIGHT = 256 * 1024 * 1024;
/** Of the columns that a row has in any case, about. */
const ROW_BYTES = 256;

/** The rows of the block have become too many, or too large together. */
export class BlockFull extends Error {}

export class RowWriter {
  readonly workspace = new NameColumn();
  readonly service = new NameColumn();
  readonly scopeName = new NameColumn();
  readonly scopeVersion = new NameColumn();
  readonly resourceAttributes = new AttributesColumn((key) => (key === "service.name" ? SERVICE_NAME : 0));
  /** Columns that the record's own reader fills. */
  readonly #own: readonly Column[];

  tally: Tally;
  /** Set while the records of a resource, scope or metric that can't be read go by: it refuses each of them. */
  problem: BadValue | null = null;
  /** Path of the list that records are read from. */
  prefix = "";
  workspaceIndex = 0;
  serviceIndex = 0;
  scopeNameIndex = 0;
  scopeVersionIndex = 0;
  /** The row that has the attributes of the current resource; -1 while they are still in the open row. */
  resourceRow = -1;
  /** About the bytes that the rows take. */
  weight = 0;
  #resourceWeight = 0;

  constructor(own: readonly Column[], tally: Tally) {
    this.#own = own;
    this.tally = tally;
  }

  get rows(): number {
    return this.workspace.rows;
  }

  /** The classes of resource attributes tell what to lift out of them. */
  isServiceName(keyClass: number): boolean {
    return keyClass === SERVICE_NAME;
  }

  /**
   * Reads the message at the position as one row: `read` appends to each of its own columns. When it throws BadValue
   * the row is refused and the reader stands behind the message.
   */
  attempt(reader: WireReader, list: string, index: number, read: (reader: WireReader) => void): void {
    const outer = reader.enter();
    const { end } = reader;
    try {
      if (this.problem !== null) throw this.problem;
      read(reader);
      this.#close();
    } catch (thrown) {
      if (!(thrown instanceof BadValue)) throw thrown;
      for (const column of this.#own) column.truncate(this.rows);
      this.refuse(thrown, `${this.prefix}${list}[${index}]`);
      reader.end = end;
    }
    reader.leave(outer);
  }

  /** Counts one refused record. A problem that it shares with others is told as it is. */
  refuse(problem: BadValue, path: string): void {
    const told = problem === this.problem ? problem : seenFrom(path, problem);
    this.tally.refuse(told instanceof BadValue ? told : problem);
  }

  /** Throws BlockFull where it is too much. */
  weigh(bytes: number): void {
    this.weight += bytes;
    if (this.weight > MAX_WEIGHT) throw new BlockFull();
  }

  truncate(rows: number): void {
    for (const column of this.#all()) column.truncate(rows);
  }

  clear(): void {
    this.weight = 0;
    for (const column of this.#all()) column.clear();
  }

  #close(): void {
    this.service.appendIndex(this.serviceIndex);
    this.scopeName.appendIndex(this.scopeNameIndex);
    this.scopeVersion.appendIndex(this.scopeVersionIndex);
    if (this.resourceRow < 0) {
      this.resourceRow = this.rows;
      this.resourceAttributes.close();
      this.#resourceWeight = this.resourceAttributes.weightOf(this.resourceRow);
    } else this.resourceAttributes.repeat(this.resourceRow);
    this.workspace.appendIndex(this.workspaceIndex);
    this.weigh(ROW_BYTES + this.#resourceWeight);
  }

  #all(): Column[] {
    const { workspace, service, scopeName, scopeVersion, resourceAttributes } = this;
    return [workspace, service, scopeName, scopeVersion, resourceAttributes, ...this.#own];
  }
}
