/** What a key means to the waterfall. Pure: the same table is shown as help. */

export type Action =
  | "down"
  | "up"
  | "pageDown"
  | "pageUp"
  | "first"
  | "last"
  | "unfold"
  | "fold"
  | "select"
  | "close"
  | "search"
  | "nextMatch"
  | "previousMatch"
  | "nextRepeated"
  | "nextOdd"
  | "critical"
  | "zoomIn"
  | "zoomOut"
  | "zoomWhole"
  | "zoomRow"
  | "panLeft"
  | "panRight"
  | "help";

export const KEYS: Readonly<Record<string, Action>> = {
  ArrowDown: "down",
  ArrowUp: "up",
  PageDown: "pageDown",
  PageUp: "pageUp",
  Home: "first",
  End: "last",
  ArrowRight: "unfold",
  ArrowLeft: "fold",
  Enter: "select",
  Escape: "close",
  "/": "search",
  f: "nextMatch",
  F: "previousMatch",
  n: "nextRepeated",
  o: "nextOdd",
  c: "critical",
  "+": "zoomIn",
  "=": "zoomIn",
  "-": "zoomOut",
  "0": "zoomWhole",
  z: "zoomRow",
  "[": "panLeft",
  "]": "panRight",
  "?": "help",
};

type Pressed = { key: string; altKey: boolean; ctrlKey: boolean; metaKey: boolean };

/** Null of a key that is the browser's or means nothing. */
export const chooseAction = ({ key, altKey, ctrlKey, metaKey }: Pressed): Action | null =>
  altKey || ctrlKey || metaKey ? null : (KEYS[key] ?? null);
