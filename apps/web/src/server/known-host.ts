/**
 * Whether a request names this server as its owner would, and comes from a page of it. At a loopback address the pages have no
 * sign-in, so a site whose name an attacker points at this machine (DNS rebinding) must not read them through a visitor's
 * browser. Names of loopback and bare addresses can't be pointed anywhere; other names have to be listed. Pure.
 */

/** Names from a setting, separated by commas, and that of the address that people are told. */
export const readHosts = (setting: string | undefined, url?: string): ReadonlySet<string> =>
  new Set([
    ...(setting ?? "").split(",").map((name) => name.trim().toLowerCase()),
    ...(url === undefined ? [] : [new URL(url).hostname]),
  ]);

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|\[?::ffff:127\.\d+\.\d+\.\d+\]?)$/;
export const isLoopbackName = (name: string): boolean => LOOPBACK.test(name);
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

/**
 * Whether what changes something was sent by a page of this server: browsers say where a POST comes from, and another
 * site's form is told by it. Who says nothing is no browser, and has the Trace API and a key.
 */
export const isOwnOrigin = (origin: string | null, host: string | null): boolean =>
  origin !== null && URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();

/** Whether it was sent from this machine, as far as those who passed it on say: a server at a loopback address may have a proxy beside it. */
export const isFromHere = (forwardedFor: string | null): boolean =>
  (forwardedFor ?? "").split(",").every((address) => address.trim() === "" || isLoopbackName(address.trim()));
