export { isoWeek, isoWeekday, weekStart } from "./iso-week.js";
export { formatWeek, parseWeek } from "./labels.js";
export { settleByWeek, weekRange } from "./settlement.js";
