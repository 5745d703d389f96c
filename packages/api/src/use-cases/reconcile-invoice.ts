/** A provider's file beside the ledger. Nothing of it is kept but that it was compared, by whom, and what came of it. */
import { createHash } from "node:crypto";
import { CentspanError, formatDecimal, sumDecimals } from "@centspan/base";
import { nameActor, reconciliationInputSchema, reconciliationRowSchema } from "@centspan/model";
import { type Ledger, listDays, readInvoice, reconcile } from "@centspan/reconcile";
import { z } from "zod";
import { defineRoute } from "../route.ts";

const MOST_DAYS = 366;

export const reconcileInvoice = defineRoute({
  id: "reconcileInvoice",
  method: "POST",
  path: "/reconciliations",
  summary:
    "Compares a provider's invoice, cost or usage report with the ledger: what differs, and the likely cause of it",
  needs: "periods.write",
  query: z.strictObject({}),
  body: reconciliationInputSchema,
  answer: reconciliationRowSchema,
  async run({ deps, caller: { workspace, principal }, body: { file, content, aliases } }) {
    const { format, lines } = readInvoice(file, content);
    const days = listDays(lines.filter(({ kind }) => kind === "usage"));
    if (days.length > MOST_DAYS) {
      const why = `from ${days[0]} to ${days.at(-1)} is more than a year`;
      throw new CentspanError("invalid_file", `${file}: day: ${why}`, { field: "day" });
    }
    const { warehouse } = deps;
    const ledger: Ledger = {
      listNames: async (groupBy, provider, range) =>
        (await warehouse.sumCosts(workspace, { groupBy, filter: { provider, range }, timeZone: "UTC" })).map(
          ({ group }) => group,
        ),
      sumUsage: (question) => warehouse.sumUsage(workspace, question),
      countQuarantined: (question) => warehouse.countQuarantined(workspace, question),
    };
    const timeZone = await deps.control.readTimeZone(workspace);
    const found = await reconcile(lines, ledger, { aliases: new Map(Object.entries(aliases)), timeZone });
    const unexplained = found.differences.filter(({ cause }) => cause === "unexplained");
    const row = {
      file,
      format: format.id,
      unit: found.unit,
      ...found.days,
      compared: found.compared,
      strange: found.strange,
      invoiced: formatDecimal(found.invoiced),
      rated: formatDecimal(found.rated),
      difference: formatDecimal(found.difference),
      unexplained: formatDecimal(sumDecimals(unexplained.map(({ difference }) => difference.abs()))),
      matched: found.matched,
      differences: found.differences.map((difference) => ({
        ...difference,
        invoiced: formatDecimal(difference.invoiced),
        rated: formatDecimal(difference.rated),
        difference: formatDecimal(difference.difference),
      })),
    };
    const { unit, from, to, difference } = row;
    const sha256 = createHash("sha256").update(content).digest("hex");
    await deps.control.writeAudit(workspace, {
      actor: nameActor(principal),
      action: "invoice.reconcile",
      subject: file,
      details: { format: format.id, from, to, unit, difference, unexplained: row.unexplained, sha256 },
    });
    return row;
  },
});
