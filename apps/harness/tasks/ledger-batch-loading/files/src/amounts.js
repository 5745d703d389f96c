const MILLION = 1_000_000n;

/** Cents in the report currency, rounded half away from zero. */
export function convert(amountCents, ratePpm) {
  const scaled = amountCents * BigInt(ratePpm) * 2n + (amountCents < 0n ? -MILLION : MILLION);
  return scaled / (MILLION * 2n);
}

/** "-12.05" for -1205n. */
export function formatCents(cents) {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
