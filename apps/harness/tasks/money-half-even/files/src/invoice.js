import { add, multiply, parseDecimal, rescale } from "./decimal.js";
import { formatAmount } from "./format.js";

const CENTS = 2;
const ZERO = { units: 0n, scale: CENTS };

/** Net amount of one line: quantity × unit price, rounded to the cent. */
export function lineNet(line) {
  return rescale(multiply(parseDecimal(line.quantity), parseDecimal(line.unitPrice)), CENTS);
}

/** Totals of an invoice: net, tax per rate, gross; all as strings with two digits. */
export function totalInvoice(lines) {
  const netByRate = new Map();
  let net = ZERO;
  for (const line of lines) {
    const amount = lineNet(line);
    net = add(net, amount);
    netByRate.set(line.taxRate, add(netByRate.get(line.taxRate) ?? ZERO, amount));
  }
  const taxes = {};
  let gross = net;
  for (const [rate, base] of netByRate) {
    const tax = rescale(multiply(base, parseDecimal(rate)), CENTS);
    taxes[rate] = formatAmount(tax);
    gross = add(gross, tax);
  }
  return { net: formatAmount(net), taxes, gross: formatAmount(gross) };
}

/** The credit note that cancels an invoice: same lines, negative quantities. */
export function creditNoteLines(lines) {
  return lines.map((line) => ({
    ...line,
    quantity: line.quantity.startsWith("-") ? line.quantity.slice(1) : `-${line.quantity}`,
  }));
}
