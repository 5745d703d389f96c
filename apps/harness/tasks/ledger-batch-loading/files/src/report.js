import { convert, formatCents } from "./amounts.js";

/**
 * One row per entry, in the order of the entries:
 * `{ entryId, account, amount }`. Entries are `{ id, accountId, currency, amountCents }`.
 */
export async function buildReport(entries, store) {
  const rows = [];
  for (const entry of entries) {
    const account = await store.getAccount(entry.accountId);
    const ratePpm = await store.getRatePpm(entry.currency);
    if (ratePpm === null) throw new RangeError(`no rate for ${entry.currency} (entry ${entry.id})`);
    rows.push({
      entryId: entry.id,
      account: account === null ? `unknown account ${entry.accountId}` : account.name,
      amount: formatCents(convert(entry.amountCents, ratePpm)),
    });
  }
  return rows;
}
