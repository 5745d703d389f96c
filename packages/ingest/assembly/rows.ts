/**
 * The rows of the block under construction: what all signals share (workspace, resource, scope), and what the rows come
 * to. Invariant: every row has a value in every column; a record that is refused, or a body, leaves none.
 */
import { readAttribute } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { Column } from "./column";
import { ContentHashColumn } from "./content-hash";
import { enterPath, leavePath } from "./failure";
import { refuse } from "./host";
import { SERVICE } from "./lifted-values";
import { NameColumn } from "./name-column";
import { Reader } from "./reader";
import { Sink } from "./sink";

/**
 * Two bytes on the wire may be a row, and what a resource says once stands in each of its rows: what a block comes to is
 * bounded by itself, since the length of the bodies says little of it.
 */
const MAX_WEIGHT: u32 = 256 * 1024 * 1024;
/** Of the columns that a row has in any case, about. */
const ROW_BYTES: u32 = 256;

const RESOURCE_ATTRIBUTES: u32 = 0x0a;
const RESOURCE_NAMES: StaticArray<string> = ["", "attributes"];
const SCOPE_NAME: u32 = 0x0a;
const SCOPE_VERSION: u32 = 0x12;
const SCOPE_NAMES: StaticArray<string> = ["", "name", "version"];

export class Rows {
  readonly names: string[] = [];
  readonly columns: Column[] = [];
  private readonly resourceAttributes: AttributesColumn = new AttributesColumn(true);
  private readonly workspace: NameColumn = new NameColumn();
  /** Of signals that have one. */
  readonly contentHash: ContentHashColumn = new ContentHashColumn();
  private readonly service: NameColumn = new NameColumn();
  private readonly scopeName: NameColumn = new NameColumn();
  private readonly scopeVersion: NameColumn = new NameColumn();
  count: u32 = 0;
  private atBody: u32 = 0;
  /** About the bytes that the rows take. */
  private weight: u32 = 0;
  private weightAtBody: u32 = 0;

  private workspaceIndex: u32 = 0;
  private serviceIndex: u32 = 0;
  private scopeNameIndex: u32 = 0;
  private scopeVersionIndex: u32 = 0;
  /** The row of the current resource's attributes, as it is written for each of its records. */
  private readonly resourceKeys: Sink = new Sink();
  private readonly resourceValues: Sink = new Sink();

  constructor() {
    this.add("resource_attributes", this.resourceAttributes);
    this.add("workspace", this.workspace);
    this.add("service", this.service);
    this.add("scope_name", this.scopeName);
    this.add("scope_version", this.scopeVersion);
  }

  add(name: string, column: Column): void {
    this.names.push(name);
    this.columns.push(column);
  }

  /** A column that grows while a record is read. */
  addNested(name: string, column: Column): void {
    this.add(name, column);
    column.nest();
  }

  startBody(workspace: usize, count: u32, bodyBytes: u32): void {
    this.atBody = this.count;
    this.weightAtBody = this.weight;
    this.workspaceIndex = this.workspace.dictionary.intern(workspace, count, "workspace");
    this.weigh(bodyBytes);
  }

  startResource(): void {
    this.serviceIndex = 0;
  }

  /** A resource that comes in pieces is one. */
  readResource(reader: Reader): void {
    const attributes = this.resourceAttributes;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag !== RESOURCE_ATTRIBUTES) {
        reader.skipUnknown(tag, RESOURCE_NAMES);
        continue;
      }
      enterPath("attributes", attributes.count);
      const isService = readAttribute(reader, attributes) === SERVICE;
      leavePath();
      if (!isService) continue;
      const values = attributes.values;
      const start = values.latest;
      this.serviceIndex = this.service.dictionary.intern(values.sink.start + start, values.sink.length - start, "");
    }
  }

  closeResource(): void {
    this.resourceAttributes.takeRow(this.resourceKeys, this.resourceValues);
  }

  /** Of a resource that was refused: it may end between a key and its value, and has no records. */
  dropResource(): void {
    this.resourceAttributes.dropRow();
  }

  startScope(): void {
    this.scopeNameIndex = 0;
    this.scopeVersionIndex = 0;
  }

  readScope(reader: Reader): void {
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === SCOPE_NAME) this.scopeNameIndex = internText(reader, this.scopeName, "name");
      else if (tag === SCOPE_VERSION) this.scopeVersionIndex = internText(reader, this.scopeVersion, "version");
      else reader.skipUnknown(tag, SCOPE_NAMES);
    }
  }

  /** After the record's own columns have their values. */
  closeRow(extraWeight: u32): void {
    this.service.appendIndex(this.serviceIndex);
    this.scopeName.appendIndex(this.scopeNameIndex);
    this.scopeVersion.appendIndex(this.scopeVersionIndex);
    this.workspace.appendIndex(this.workspaceIndex);
    this.resourceAttributes.appendRow(this.resourceKeys, this.resourceValues);
    this.count += 1;
    this.weigh(ROW_BYTES + this.resourceKeys.length * 2 + this.resourceValues.length + extraWeight);
  }

  private weigh(bytes: u32): void {
    this.weight += bytes;
    if (this.weight > MAX_WEIGHT) refuse("full", "", "", 0);
  }

  /** After the sinks were cut back. */
  reopen(): void {
    for (let i = 0; i < this.columns.length; i++) this.columns[i].reopen();
  }

  dropBody(): void {
    this.count = this.atBody;
    this.weight = this.weightAtBody;
    this.reopen();
  }

  clear(): void {
    this.count = 0;
    this.weight = 0;
    for (let i = 0; i < this.columns.length; i++) this.columns[i].clear();
  }
}

export function internText(reader: Reader, column: NameColumn, name: string): u32 {
  const start = reader.passBytes();
  return column.dictionary.intern(start, u32(reader.at - start), name);
}
