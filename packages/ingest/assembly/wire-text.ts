/** Text of the record that is being read, where it stands on the wire. */
import { isUtf8 } from "./bytes";
import { refuseText } from "./failure";
import { Reader } from "./reader";

export class WireText {
  start: usize = 0;
  count: u32 = 0;

  clear(): void {
    this.count = 0;
  }

  read(reader: Reader): void {
    this.start = reader.passBytes();
    this.count = u32(reader.at - this.start);
  }

  get isText(): bool {
    return isUtf8(this.start, this.start + this.count);
  }

  check(name: string): void {
    if (!this.isText) refuseText(name);
  }
}
