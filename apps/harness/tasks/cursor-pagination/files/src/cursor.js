/** Opaque cursors: base64url of a JSON object. */

export class InvalidCursorError extends Error {
  constructor() {
    super("the cursor is not valid");
    this.name = "InvalidCursorError";
  }
}

export function encodeCursor(position) {
  return Buffer.from(JSON.stringify({ at: position.indexedAt })).toString("base64url");
}

/** The position a cursor stands for: `{ indexedAt }`. */
export function decodeCursor(cursor) {
  let parsed;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw new InvalidCursorError();
  }
  if (parsed === null || typeof parsed !== "object" || !Number.isSafeInteger(parsed.at)) {
    throw new InvalidCursorError();
  }
  return { indexedAt: parsed.at };
}
