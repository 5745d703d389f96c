export { renderSnippet } from "./snippet.js";
export { measureColumns, splitAtColumn } from "./width.js";
export { wrapText } from "./wrap.js";
