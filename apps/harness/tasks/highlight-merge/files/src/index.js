export { highlight } from "./highlight.js";
export { coveredLength, mergeRanges } from "./ranges.js";
