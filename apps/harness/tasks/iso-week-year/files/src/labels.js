const LABEL = /^(\d{4})-W(\d{2})$/;

/** "2026-W07" */
export function formatWeek({ year, week }) {
  return `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
}

export function parseWeek(label) {
  const match = LABEL.exec(label);
  if (!match) throw new RangeError(`not an ISO week: ${JSON.stringify(label)}`);
  return { year: Number(match[1]), week: Number(match[2]) };
}
