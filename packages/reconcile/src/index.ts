export type { Aliases } from "./match-lines.ts";
export { readInvoice } from "./read-invoice.ts";
export {
  CAUSES,
  type Cause,
  type Difference,
  type Ledger,
  listDays,
  type Reconciliation,
  reconcile,
} from "./reconcile.ts";
