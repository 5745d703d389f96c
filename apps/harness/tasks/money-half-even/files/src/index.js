export { divideRounded, parseDecimal, rescale } from "./decimal.js";
export { formatAmount } from "./format.js";
export { creditNoteLines, lineNet, totalInvoice } from "./invoice.js";
