/** Which port each service gets, and a plain error before anything starts when one is taken. */
import { createServer } from "node:net";
import { CentspanError } from "@centspan/base";

const DEFAULT_PORTS = {
  web: 3000,
  gateway: 4000,
  engine: 4100,
  worker: 4200,
  otlp: 4318,
  clickhouse: 8123,
  postgres: 54329,
  otlpGrpc: 4317,
};
export type Ports = Record<keyof typeof DEFAULT_PORTS, number>;

/** With a base, ports are base, base + 1, … in the order web, gateway, engine, worker, otlp, clickhouse, postgres, otlpGrpc. */
export function planPorts(base: number | undefined): Ports {
  if (base === undefined) return DEFAULT_PORTS;
  return {
    web: base,
    gateway: base + 1,
    engine: base + 2,
    worker: base + 3,
    otlp: base + 4,
    clickhouse: base + 5,
    postgres: base + 6,
    otlpGrpc: base + 7,
  };
}

export async function requireFreePorts(ports: Ports, host: string): Promise<void> {
  const taken: string[] = [];
  for (const [name, port] of Object.entries(ports)) if (!(await isFree(port, host))) taken.push(`${port} (${name})`);
  if (taken.length === 0) return;
  const [are, them] = taken.length === 1 ? ["port is", "it"] : ["ports are", "them"];
  throw new CentspanError(
    "port_taken",
    `${are} taken on ${host}: ${taken.join(", ")}. Free ${them}, or choose others: npm start -- --port-base 13000`,
  );
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
