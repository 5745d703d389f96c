/**
 * The account store, as the rest of the system sees it. This one keeps its data in memory
 * and has the limits of the remote one: at most `maxBatch` ids in one call, no empty calls.
 */
export class AccountStore {
  constructor({ accounts, ratesPpm }) {
    this.accounts = new Map(accounts.map((account) => [account.id, account]));
    this.ratesPpm = new Map(Object.entries(ratesPpm));
    this.maxBatch = 50;
    this.calls = 0;
  }

  async getAccount(id) {
    this.calls += 1;
    return this.accounts.get(id) ?? null;
  }

  /** The accounts that exist, in no particular order. */
  async getAccounts(ids) {
    this.assertBatch(ids);
    this.calls += 1;
    return ids.filter((id) => this.accounts.has(id)).map((id) => this.accounts.get(id)).reverse();
  }

  /** Rate to the report currency in parts per million. */
  async getRatePpm(currency) {
    this.calls += 1;
    return this.ratesPpm.get(currency) ?? null;
  }

  /** `{ currency: ratePpm }` of the currencies that have a rate. */
  async getRatesPpm(currencies) {
    this.assertBatch(currencies);
    this.calls += 1;
    return Object.fromEntries(currencies.filter((c) => this.ratesPpm.has(c)).map((c) => [c, this.ratesPpm.get(c)]));
  }

  assertBatch(keys) {
    if (keys.length === 0 || keys.length > this.maxBatch) {
      throw new RangeError(`a batch holds 1 to ${this.maxBatch} keys, got ${keys.length}`);
    }
    if (new Set(keys).size !== keys.length) throw new RangeError("a batch must not repeat a key");
  }
}
