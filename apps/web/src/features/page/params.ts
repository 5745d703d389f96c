/** URL parameters of a page and addresses made from them. Pure: filters and selection live in the URL and nowhere else. */

export type Params = Readonly<Record<string, string>>;
export type Changes = Readonly<Record<string, string | null | undefined>>;

/** Parameters that every link inside the app carries along. */
const CARRIED = ["workspace", "period", "from", "to"] as const;

/** What Next gives: a repeated parameter is a list, of which the first counts; empty ones count as absent. `lang` is the proxy's. */
export function readParams(raw: Readonly<Record<string, string | string[] | undefined>>): Params {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined && first !== "" && name !== "lang") params[name] = first;
  }
  return params;
}

/** Path with parameters in a fixed order, so that equal pages have equal addresses. Null, undefined and "" leave one out. */
export function buildHref(path: string, params: Changes): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(params).sort()) {
    const value = params[name];
    if (value !== null && value !== undefined && value !== "") search.set(name, value);
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

export function pickCarried(params: Params): Params {
  const carried: Record<string, string> = {};
  for (const name of CARRIED) {
    const value = params[name];
    if (value !== undefined) carried[name] = value;
  }
  return carried;
}
