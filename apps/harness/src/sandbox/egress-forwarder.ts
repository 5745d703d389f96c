/**
 * What runs beside a program in a sandbox without network: a proxy on its loopback whose other end is the relay's socket,
 * outside. It starts the program with the addresses of that proxy, and ends as the program ends.
 * Must not: know a credential; the relay adds the gateway key where no program can see it.
 */
export const SOCKET_NAME = "egress.sock";

const SCRIPT = `const { createServer, connect } = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [socketPath, file, ...args] = process.argv.slice(1);
const server = createServer((client) => {
  const relay = connect(socketPath);
  client.pipe(relay).pipe(client);
  for (const [one, other] of [[client, relay], [relay, client]]) one.on("error", () => other.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const proxy = "http://127.0.0.1:" + server.address().port;
  const env = { ...process.env, no_proxy: "localhost,127.0.0.1", NO_PROXY: "localhost,127.0.0.1", NODE_USE_ENV_PROXY: "1" };
  for (const name of ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]) env[name] = proxy;
  const child = spawn(file, args, { env, stdio: "inherit" });
  child.on("error", (error) => { console.error(error.message); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});`;

/** The beginning of a command line; the program and its arguments follow. `socketPath` as the sandbox sees it. */
export const writeForwarder = (socketPath: string): string[] => ["node", "-e", SCRIPT, socketPath];
