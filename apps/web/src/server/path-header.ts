/** Carries the address that was asked for from the proxy to whoever sends people to the sign-in, and back. */
export const PATH_HEADER = "x-centspan-path";

/** A path on this server, whatever was sent: no other host is ever followed. */
export const readPath = (text: string | null): string => `/${(text ?? "").replace(/^[/\\]+/, "")}`;
