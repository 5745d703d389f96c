/**
 * Whether a request's Host header names this server as its owner would. The pages have no sign-in, so a site whose name
 * an attacker points at this machine (DNS rebinding) must not read them through a visitor's browser. Names of loopback
 * and bare addresses can't be pointed anywhere; other names have to be listed. Pure.
 */

/** Names from a setting, separated by commas. */
export const readHosts = (setting: string | undefined): ReadonlySet<string> =>
  new Set((setting ?? "").split(",").map((name) => name.trim().toLowerCase()));

const isLoopbackName = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");
/** `URL` writes IPv4 as four decimals however it was given, and IPv6 in brackets. */
const isAddress = (name: string): boolean => name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);

export function isKnownHost(host: string | null, listed: ReadonlySet<string>): boolean {
  const address = `http://${host ?? ""}`;
  if (!URL.canParse(address)) return false;
  const { host: whole, hostname } = new URL(address);
  // Anything beside name and port (a path, a user) is no Host header.
  if (whole !== host?.toLowerCase().replace(/:80$/, "")) return false;
  return isLoopbackName(hostname) || isAddress(hostname) || listed.has(hostname);
}
