/** What a data point has many of beside numbers: exemplars. */
import { readAttribute } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { FixedColumn, TextColumn, TupleListColumn } from "./column";
import { enterPath, leavePath } from "./failure";
import { passInstant, passOptionalId } from "./fields";
import { Reader } from "./reader";

const TIME: u32 = 0x11;
const AS_DOUBLE: u32 = 0x19;
const SPAN_ID: u32 = 0x22;
const TRACE_ID: u32 = 0x2a;
const AS_INT: u32 = 0x31;
const ATTRIBUTES: u32 = 0x3a;
const EXEMPLAR_NAMES: StaticArray<string> = [
  "",
  "",
  "timeUnixNano",
  "asDouble",
  "spanId",
  "traceId",
  "asInt",
  "filteredAttributes",
];

export class ExemplarsColumn extends TupleListColumn {
  private readonly at: FixedColumn = new FixedColumn();
  private readonly value: FixedColumn = new FixedColumn();
  private readonly traceId: TextColumn = new TextColumn();
  private readonly spanId: TextColumn = new TextColumn();
  private readonly attributes: AttributesColumn = new AttributesColumn(false);

  constructor() {
    super();
    this.members.push(this.at);
    this.members.push(this.value);
    this.members.push(this.traceId);
    this.members.push(this.spanId);
    this.members.push(this.attributes);
  }

  read(reader: Reader): void {
    enterPath("exemplars", this.ends.open);
    const outer = reader.enter();
    let at: usize = 0;
    let traceId: usize = 0;
    let spanId: usize = 0;
    let value: f64 = NaN;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === TIME) at = passInstant(reader, "timeUnixNano");
      else if (tag === AS_DOUBLE) value = load<f64>(reader.pass(8));
      else if (tag === AS_INT) value = f64(load<i64>(reader.pass(8)));
      else if (tag === TRACE_ID) traceId = passOptionalId(reader, 16, "traceId");
      else if (tag === SPAN_ID) spanId = passOptionalId(reader, 8, "spanId");
      else if (tag === ATTRIBUTES) {
        enterPath("filteredAttributes", this.attributes.count);
        readAttribute(reader, this.attributes);
        leavePath();
      } else reader.skipUnknown(tag, EXEMPLAR_NAMES);
    }
    this.at.appendEight(at);
    this.value.sink.writeUint64(reinterpret<u64>(value));
    this.traceId.appendHex(traceId, 16);
    this.spanId.appendHex(spanId, 8);
    this.attributes.close();
    this.ends.items += 1;
    reader.leave(outer);
    leavePath();
  }
}
