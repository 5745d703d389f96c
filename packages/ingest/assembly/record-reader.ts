/** How the records of a signal are read: into columns of their own, which are added to the rows. */
import { Reader } from "./reader";

export abstract class RecordReader {
  /** Before the records of a body. */
  startBody(_bytes: u32, _checksum: u32, _isTrusted: boolean): void {}
  /** After each record, taken or refused. */
  pass(): void {}
  /**
   * Reads the message that the reader has been narrowed to as one row. What may be refused comes before anything is
   * appended to a column that is not nested. Returns what the row weighs beside what all rows do.
   */
  abstract read(reader: Reader): u32;
}
