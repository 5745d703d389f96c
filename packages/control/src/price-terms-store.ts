/**
 * What a workspace agreed on with providers. Terms are added under a lock of their workspace, so that two additions can't
 * contradict each other; each addition and each end is in the audit log.
 */
import { isDeepStrictEqual } from "node:util";
import { CentspanError } from "@centspan/base";
import type { PriceTerms, PriceTermsStore } from "@centspan/model";
import { and, asc, eq, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { contractPrices, exchangeRates } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

type Queries = Pick<Database, "select" | "insert" | "update" | "execute">;

export function createPriceTermsStore(db: Database): PriceTermsStore {
  return {
    readPriceTerms: (workspace) => readTerms(db, workspace),

    async addPriceTerms(workspace, terms, actor, check) {
      try {
        await transact(db, async (tx) => {
          await lock(tx, workspace);
          const before = await readTerms(tx, workspace);
          const added = findAdded(before, terms);
          check({
            contracts: [...before.contracts, ...added.contracts],
            exchangeRates: [...before.exchangeRates, ...added.exchangeRates],
          });
          const { contracts, exchangeRates: rates } = added;
          if (contracts.length + rates.length === 0) return;
          if (contracts.length > 0)
            await tx
              .insert(contractPrices)
              .values(contracts.map((contract) => ({ workspace, id: contract.id, contract })));
          if (rates.length > 0)
            await tx
              .insert(exchangeRates)
              .values(rates.map((rate) => ({ workspace, currency: rate.currency, from: rate.from, rate })));
          const subject = [...contracts.map(({ id }) => id), ...rates.map((rate) => `${rate.currency} ${rate.from}`)];
          const details = { contracts: contracts.length, exchangeRates: rates.length };
          await insertAudit(tx, workspace, { actor, action: "prices.added", subject: subject.join(", "), details });
        });
      } catch (thrown) {
        if (violatedConstraint(thrown) === null) throw thrown;
        throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
      }
    },

    endContract: (workspace, id, to, actor) =>
      transact(db, async (tx) => {
        await lock(tx, workspace);
        const isIt = and(eq(contractPrices.workspace, workspace), eq(contractPrices.id, id));
        const [row] = await tx.select({ contract: contractPrices.contract }).from(contractPrices).where(isIt);
        if (!row) throw new CentspanError("not_found", `There is no contract ${id} in this workspace.`);
        if (row.contract.to !== undefined)
          throw new CentspanError("conflict", `to: contract ${id} ends on ${row.contract.to} already`, { field: "to" });
        await tx
          .update(contractPrices)
          .set({ contract: { ...row.contract, to } })
          .where(isIt);
        await insertAudit(tx, workspace, { actor, action: "prices.ended", subject: id, details: { to } });
      }),

    correctExchangeRate: (workspace, rate, actor) =>
      transact(db, async (tx) => {
        await lock(tx, workspace);
        const { currency, from, usd } = rate;
        const isIt = and(
          eq(exchangeRates.workspace, workspace),
          eq(exchangeRates.currency, currency),
          eq(exchangeRates.from, from),
        );
        const [row] = await tx.select({ rate: exchangeRates.rate }).from(exchangeRates).where(isIt);
        if (!row) throw new CentspanError("not_found", `There is no exchange rate of ${currency} from ${from}.`);
        await tx.update(exchangeRates).set({ rate }).where(isIt);
        const subject = `${currency} ${from}`;
        const details = { usd: `${row.rate.usd} → ${usd}` };
        await insertAudit(tx, workspace, { actor, action: "prices.corrected", subject, details });
      }),
  };
}

const lock = (tx: Queries, workspace: string) =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`price terms ${workspace}`}, 0))`);

async function readTerms(db: Queries, workspace: string): Promise<PriceTerms> {
  const contracts = await db
    .select({ contract: contractPrices.contract })
    .from(contractPrices)
    .where(eq(contractPrices.workspace, workspace))
    .orderBy(asc(contractPrices.id));
  const rates = await db
    .select({ rate: exchangeRates.rate })
    .from(exchangeRates)
    .where(eq(exchangeRates.workspace, workspace))
    .orderBy(asc(exchangeRates.currency), asc(exchangeRates.from));
  return { contracts: contracts.map(({ contract }) => contract), exchangeRates: rates.map(({ rate }) => rate) };
}

/** Whether it is not there yet. The same once more is no change; another under the same name is refused. */
export function isNew<T>(given: T, known: T | undefined, name: string, field: string): boolean {
  if (known === undefined) return true;
  if (isDeepStrictEqual(known, given)) return false;
  throw new CentspanError("conflict", `${field}: entry ${name}: is there already, and says otherwise`, { field });
}

function findAdded(before: PriceTerms, { contracts, exchangeRates: rates }: PriceTerms): PriceTerms {
  return {
    contracts: contracts.filter((contract) => {
      const known = before.contracts.find(({ id }) => id === contract.id);
      return isNew(contract, known, contract.id, "contracts");
    }),
    exchangeRates: rates.filter((rate) => {
      const known = before.exchangeRates.find(({ currency, from }) => currency === rate.currency && from === rate.from);
      return isNew(rate, known, `${rate.currency} from ${rate.from}`, "exchangeRates");
    }),
  };
}
