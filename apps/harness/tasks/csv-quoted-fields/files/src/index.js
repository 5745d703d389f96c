export { readCatalog } from "./catalog.js";
export { parseCsv } from "./csv.js";
