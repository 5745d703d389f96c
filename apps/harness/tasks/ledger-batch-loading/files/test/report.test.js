import assert from "node:assert/strict";
import test from "node:test";
import { AccountStore, buildReport, convert, formatCents } from "../src/index.js";

function makeStore(count) {
  const accounts = Array.from({ length: count }, (_, i) => ({ id: `a${i}`, name: `Account ${i}` }));
  return new AccountStore({ accounts, ratesPpm: { EUR: 1_000_000, USD: 920_000, KRW: 680 } });
}

function makeEntries(count, accounts) {
  const currencies = ["EUR", "USD", "KRW"];
  return Array.from({ length: count }, (_, i) => ({
    id: `e${i}`,
    accountId: `a${(i * 7) % accounts}`,
    currency: currencies[i % 3],
    amountCents: BigInt(i * 101 - 400),
  }));
}

test("rows have names and converted amounts in the order of the entries", async () => {
  const rows = await buildReport(
    [
      { id: "e2", accountId: "a1", currency: "USD", amountCents: 1000n },
      { id: "e1", accountId: "a0", currency: "EUR", amountCents: -5n },
    ],
    makeStore(2),
  );
  assert.deepEqual(rows, [
    { entryId: "e2", account: "Account 1", amount: "9.20" },
    { entryId: "e1", account: "Account 0", amount: "-0.05" },
  ]);
});

test("an unknown account is named as such", async () => {
  const [row] = await buildReport([{ id: "e1", accountId: "zz", currency: "EUR", amountCents: 1n }], makeStore(1));
  assert.equal(row.account, "unknown account zz");
});

test("a missing rate names the currency and the entry", async () => {
  const entries = [
    { id: "e1", accountId: "a0", currency: "EUR", amountCents: 1n },
    { id: "e2", accountId: "a0", currency: "XXX", amountCents: 1n },
  ];
  await assert.rejects(buildReport(entries, makeStore(1)), { message: "no rate for XXX (entry e2)" });
});

test("a report without entries makes no calls", async () => {
  const store = makeStore(1);
  assert.deepEqual(await buildReport([], store), []);
  assert.equal(store.calls, 0);
});

test("a small report takes two calls", async () => {
  const store = makeStore(10);
  await buildReport(makeEntries(200, 10), store);
  assert.equal(store.calls, 2);
});

test("exactly one full batch takes two calls", async () => {
  const store = makeStore(50);
  await buildReport(makeEntries(400, 50), store);
  assert.equal(store.calls, 2);
});

test("many accounts are loaded in full batches", async () => {
  const store = makeStore(1000);
  const rows = await buildReport(makeEntries(3000, 120), store);
  assert.equal(rows.length, 3000);
  assert.equal(rows[10].account, "Account 70");
  assert.ok(store.calls <= 4, `${store.calls} calls`);
});

test("conversion rounds half away from zero", () => {
  assert.equal(convert(1n, 500_000), 1n);
  assert.equal(convert(-1n, 500_000), -1n);
  assert.equal(formatCents(-1205n), "-12.05");
});
