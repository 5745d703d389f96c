/** Which TCP ports are free, asked by binding them; a taken one is an error that names its option. */
import { createServer, type Server } from "node:net";
import { CentspanError } from "@centspan/base";

/** The port itself when it can be bound, any free one for 0. */
export async function claimablePort(port: number, host: string, option: string): Promise<number> {
  const probe = createServer();
  const bound = await listenOn(probe, port, host, option);
  await new Promise((resolve) => probe.close(resolve));
  return bound;
}

export function listenOn(server: Server, port: number, host: string, option: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const reason = taken ? "is taken" : `can't be opened (${error.code ?? error.message})`;
      const message = `Port ${port} on ${host} ${reason}. Free it, or choose another with ${option} N.`;
      reject(new CentspanError("port_taken", message, { field: option, cause: error }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}
