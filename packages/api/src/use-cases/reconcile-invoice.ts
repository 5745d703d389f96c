/** A provider's file beside the ledger. Nothing of it is kept but that it was compared, by whom, and what came of it. */
import { createHash } from "node:crypto";
import { CentspanError, formatDecimal, nextDay, startOfDayNs, sumDecimals } from "@centspan/base";
import { reconciliationInputSchema, reconciliationRowSchema } from "@centspan/model";
import { listDays, readInvoice, reconcile } from "@centspan/reconcile";
import { z } from "zod";
import { defineRoute } from "../route.ts";

/** Offsets of time zones are whole quarters of an hour. */
const STRETCH_S = 900;
const DAY_NS = 86_400_000_000_000n;
const MOST_DAYS = 366;

export const reconcileInvoice = defineRoute({
  id: "reconcileInvoice",
  method: "POST",
  path: "/reconciliations",
  summary:
    "Compares a provider's invoice, cost or usage report with the ledger: what differs, and the likely cause of it",
  allow: ["api"],
  query: z.strictObject({}),
  body: reconciliationInputSchema,
  answer: reconciliationRowSchema,
  async run({ deps, caller: { workspace, principal }, body: { file, content, aliases } }) {
    const { format, lines } = readInvoice(file, content);
    const days = listDays(lines.map(({ day }) => day));
    const [first = "", last = ""] = [days[0], days.at(-1)];
    if (days.length > MOST_DAYS) {
      throw new CentspanError("invalid_file", `${file}: day: from ${first} to ${last} is more than a year`, {
        field: "day",
      });
    }
    // Days of other time zones reach over those of UTC.
    const range = { fromNs: startOfDayNs("UTC", first) - DAY_NS, toNs: startOfDayNs("UTC", nextDay(last)) + DAY_NS };
    const [cells, timeZone] = await Promise.all([
      deps.warehouse.sumUsage(workspace, range, STRETCH_S),
      deps.control.readTimeZone(workspace),
    ]);
    const found = reconcile(lines, cells, { aliases: new Map(Object.entries(aliases)), timeZone });
    const unexplained = found.differences.filter(({ cause }) => cause === "unexplained");
    const row = {
      file,
      format: format.id,
      unit: found.unit,
      from: first,
      to: last,
      compared: found.compared,
      strange: found.strange,
      invoiced: formatDecimal(found.invoiced),
      rated: formatDecimal(found.rated),
      difference: formatDecimal(found.difference),
      unexplained: formatDecimal(sumDecimals(unexplained.map(({ difference }) => difference))),
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
      actor: principal.keyName,
      action: "invoice.reconcile",
      subject: file,
      details: { format: format.id, from, to, unit, difference, unexplained: row.unexplained, sha256 },
    });
    return row;
  },
});
