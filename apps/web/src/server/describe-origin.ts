/** The address that people reach these pages at, for links that are handed over. Server only. */
import { headers } from "next/headers";
import { openOnce } from "./stores.ts";

export async function describeOrigin(): Promise<string> {
  const { mode } = openOnce();
  return mode.kind === "accounts" ? mode.url : `http://${(await headers()).get("host") ?? "localhost"}`;
}
