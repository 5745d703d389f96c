export { decodeCursor, encodeCursor, InvalidCursorError } from "./cursor.js";
export { DocumentIndex } from "./document-index.js";
export { readPage } from "./pager.js";
