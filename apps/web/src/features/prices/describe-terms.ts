/** Conditions and terms of prices in words. Pure. */
import type { Commitment, ContractPrice, PriceSelectors } from "@centspan/model";
import { formatCount, formatRate } from "@centspan/ui";
import type { Catalogue } from "#i18n";

export function describeSelectors(when: PriceSelectors | null, t: Catalogue): string {
  const { serviceTier, region, context, hours, weekdays } = when ?? {};
  const parts = [
    ...(serviceTier === undefined ? [] : [t.tierOf(serviceTier)]),
    ...(region === undefined ? [] : [region]),
    ...(context === undefined ? [] : [t.contextOver(context.comparator, formatCount(context.tokens))]),
    ...(hours === undefined ? [] : [`${hours.from}–${hours.to} UTC`]),
    ...(weekdays === undefined ? [] : [describeWeekdays(weekdays, t)]),
  ];
  return parts.length === 0 ? t.standardTier : parts.join(", ");
}

/** "Mon–Fri" of days that follow on each other. */
function describeWeekdays(weekdays: readonly number[], t: Catalogue): string {
  const days = [...weekdays].sort((a, b) => a - b);
  const names = days.map((day) => t.weekdays[day - 1]);
  const isRow = days.length > 2 && days.every((day, index) => day === (days[0] ?? 0) + index);
  return isRow ? `${names[0]}–${names.at(-1)}` : names.join(", ");
}

/** Which calls of its model a contract is for: an absolute price without conditions is for the standard tier. */
export const describeCalls = ({ when, terms }: ContractPrice, t: Catalogue): string =>
  when === undefined && terms.kind !== "absolute" ? t.everyCall : describeSelectors(when ?? null, t);

export function describeTerms({ terms }: Pick<ContractPrice, "terms">, t: Catalogue): string {
  const meters: Readonly<Record<string, string>> = t.meterOf;
  const list = (rates: Readonly<Record<string, string | undefined>>, write: (rate: string) => string): string =>
    Object.entries(rates)
      .flatMap(([meter, rate]) => (rate === undefined ? [] : [`${meters[meter] ?? meter} ${write(rate)}`]))
      .join(", ");
  switch (terms.kind) {
    case "percent_off":
      return t.percentOff(terms.percent);
    case "markup":
      return t.markup(terms.percent);
    case "gpu_hours":
      return t.gpuHours(
        String(terms.gpus),
        formatRate(terms.perGpuHour),
        terms.currency ?? "USD",
        t.provenanceOf[terms.basis],
      );
    case "absolute":
      return t.perMillionOf(list(terms.perMillion, formatRate), terms.currency ?? "USD");
  }
}

export function describeCommitment(one: Commitment, t: Catalogue): string {
  const currency = one.currency ?? "USD";
  switch (one.kind) {
    case "seats":
      return t.seats(formatCount(one.seats), one.plan, formatRate(one.perSeatMonth), currency);
    case "credits":
      return t.credits(formatRate(one.amount), currency);
    case "provisioned":
      return t.provisioned(
        formatCount(one.units),
        formatRate(one.perUnit),
        currency,
        t.perTime[one.per],
        formatCount(one.tokensPerMinute),
      );
    case "gpus":
      return t.gpuHours(formatCount(one.gpus), formatRate(one.perGpuHour), currency, t.provenanceOf[one.basis]);
  }
}
