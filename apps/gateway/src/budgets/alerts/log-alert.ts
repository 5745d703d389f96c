/** One line of JSON on stderr, where a service's log goes. */
import { type Channel, describeAlert } from "./channel.ts";

export const createLog = (write: (line: string) => void = (line) => process.stderr.write(line)): Channel => ({
  serves: () => true,
  async send(alert) {
    write(`${JSON.stringify(describeAlert(alert))}\n`);
  },
});
