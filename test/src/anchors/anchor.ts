/** An anchor: a number that others published or measured, and what this code makes of the same data. */
export type Anchor = {
  name: string;
  /** Where the expected value is from. */
  source: string;
  expected: number;
  /** Largest absolute difference that still counts as the same. */
  tolerance: number;
  measured: number;
  /** What is worth reading beside it. */
  note?: string;
};

/** A group of anchors over one piece of data; `folder` is the data folder given by --data. */
export type AnchorGroup = (folder: string) => Anchor[] | Promise<Anchor[]>;
