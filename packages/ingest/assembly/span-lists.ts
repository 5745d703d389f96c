/** What a span has many of: events and links. */
import { readAttribute } from "./attributes";
import { AttributesColumn } from "./attributes-column";
import { InstantColumn, TextColumn, TupleListColumn } from "./column";
import { enterPath, leavePath } from "./failure";
import { passInstant, passOptionalId } from "./fields";
import { NameColumn } from "./name-column";
import { Reader } from "./reader";
import { WireText } from "./wire-text";

const EVENT_TIME: u32 = 0x09;
const EVENT_NAME: u32 = 0x12;
const EVENT_ATTRIBUTES: u32 = 0x1a;
const EVENT_NAMES: StaticArray<string> = ["", "timeUnixNano", "name", "attributes"];

export class EventsColumn extends TupleListColumn {
  private readonly at: InstantColumn = new InstantColumn();
  private readonly name: NameColumn = new NameColumn();
  private readonly attributes: AttributesColumn = new AttributesColumn(false);
  private readonly text: WireText = new WireText();

  constructor() {
    super();
    this.members.push(this.at);
    this.members.push(this.name);
    this.members.push(this.attributes);
  }

  read(reader: Reader): void {
    enterPath("events", this.ends.open);
    const outer = reader.enter();
    let at: usize = 0;
    this.text.clear();
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === EVENT_TIME) at = passInstant(reader, "timeUnixNano");
      else if (tag === EVENT_NAME) this.text.read(reader);
      else if (tag === EVENT_ATTRIBUTES) readListed(reader, this.attributes);
      else reader.skipUnknown(tag, EVENT_NAMES);
    }
    this.at.appendEight(at);
    this.name.append(this.text.start, this.text.count, "name");
    this.attributes.close();
    this.ends.items += 1;
    reader.leave(outer);
    leavePath();
  }
}

const LINK_TRACE_ID: u32 = 0x0a;
const LINK_SPAN_ID: u32 = 0x12;
const LINK_ATTRIBUTES: u32 = 0x22;
const LINK_NAMES: StaticArray<string> = ["", "traceId", "spanId", "", "attributes"];

export class LinksColumn extends TupleListColumn {
  private readonly traceId: TextColumn = new TextColumn();
  private readonly spanId: TextColumn = new TextColumn();
  private readonly attributes: AttributesColumn = new AttributesColumn(false);

  constructor() {
    super();
    this.members.push(this.traceId);
    this.members.push(this.spanId);
    this.members.push(this.attributes);
  }

  read(reader: Reader): void {
    enterPath("links", this.ends.open);
    const outer = reader.enter();
    let traceId: usize = 0;
    let spanId: usize = 0;
    while (reader.more) {
      const tag = reader.readTag();
      if (tag === LINK_TRACE_ID) traceId = passOptionalId(reader, 16, "traceId");
      else if (tag === LINK_SPAN_ID) spanId = passOptionalId(reader, 8, "spanId");
      else if (tag === LINK_ATTRIBUTES) readListed(reader, this.attributes);
      else reader.skipUnknown(tag, LINK_NAMES);
    }
    this.traceId.appendHex(traceId, 16);
    this.spanId.appendHex(spanId, 8);
    this.attributes.close();
    this.ends.items += 1;
    reader.leave(outer);
    leavePath();
  }
}

function readListed(reader: Reader, attributes: AttributesColumn): void {
  enterPath("attributes", attributes.count);
  readAttribute(reader, attributes);
  leavePath();
}
