/** "1234.50" for { units: 123450n, scale: 2 }; never "-0.00". */
export function formatAmount({ units, scale }) {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
