export { convert, formatCents } from "./amounts.js";
export { buildReport } from "./report.js";
export { AccountStore } from "./store.js";
