/** Hashes of rows that are computed column after column: each is folded into what those before it came to. */
import { combine } from "./city-hash";
import { Sink } from "./sink";

export class RowHashes {
  private readonly sink: Sink = new Sink();
  private isFirst: bool = true;

  /** Of so many rows, and of no column yet. */
  begin(rows: u32): void {
    this.sink.length = 0;
    this.sink.extend(rows * 8);
    this.isFirst = true;
  }

  /** Every row has its hash of the column. */
  closeColumn(): void {
    this.isFirst = false;
  }

  /** What the row comes to with this hash. */
  @inline
  fold(row: u32, hash: u64): u64 {
    const folded = this.isFirst ? hash : combine(this.get(row), hash);
    this.set(row, folded);
    return folded;
  }

  @inline
  get(row: u32): u64 {
    return load<u64>(this.sink.start + row * 8);
  }

  @inline
  set(row: u32, hash: u64): void {
    store<u64>(this.sink.start + row * 8, hash);
  }

  writeTo(out: Sink): void {
    out.write(this.sink.start, this.sink.length);
  }
}
