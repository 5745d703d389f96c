/**
 * Whether pages may change anything. They have no sign-in: whoever reaches them is their owner, so they change things only
 * where nobody but the people of this machine reaches them. Elsewhere there are keys, for the Trace API and the CLI.
 */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);

/** `hostname` is what the server listens at (HOSTNAME). */
export const mayChange = (hostname: string | undefined): boolean => hostname !== undefined && LOOPBACK.has(hostname);
