/** UInt64: what ClickHouse's cityHash64 makes of a tuple of the row's values in other columns. */
import { Column } from "./column";
import { RowHashes } from "./row-hashes";
import { Sink } from "./sink";

export class ContentHashColumn extends Column {
  /** In the order in which the server would name them. */
  readonly of: Column[] = [];
  /** Of the block. */
  rows: u32 = 0;
  private readonly hashes: RowHashes = new RowHashes();

  nest(): void {}

  writeData(out: Sink): void {
    this.hashes.begin(this.rows);
    for (let i = 0; i < this.of.length; i++) {
      this.of[i].foldHashes(this.hashes);
      this.hashes.closeColumn();
    }
    this.hashes.writeTo(out);
  }
}
