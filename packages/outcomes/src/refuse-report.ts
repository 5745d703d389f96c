/** What every report is refused with: too much of it, or not what it should be. */
import { CentspanError } from "@centspan/base";

const MAX_BYTES = 16 * 1024 * 1024;
/** What is wrong with a report is said with a piece of it, of whatever length. */
const MAX_MESSAGE = 300;

export const refuseReport = (format: string, what: string, field?: string): CentspanError =>
  new CentspanError(
    "invalid_file",
    `${format} report: ${what.slice(0, MAX_MESSAGE)}`,
    field === undefined ? {} : { field },
  );

export function limitReport(format: string, report: string): void {
  if (Buffer.byteLength(report) > MAX_BYTES) throw refuseReport(format, `larger than ${MAX_BYTES} bytes`);
}
