/**
 * What of telemetry is content: prompts, answers, what tools were given and returned, and whatever else nobody here knows the
 * meaning of. A name counts as plain only if it is listed, so that what an emitter begins to send tomorrow is hidden, not shown.
 */

/** Names, and beginnings of names that end in a dot. */
const PLAIN: readonly string[] = [
  "centspan.",
  "gen_ai.usage.",
  "gen_ai.request.",
  "gen_ai.response.",
  "gen_ai.agent.id",
  "gen_ai.agent.name",
  "gen_ai.conversation.id",
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.system",
  "gen_ai.token.type",
  "gen_ai.tool.name",
  "gen_ai.tool.type",
  "gen_ai.tool.call.id",
  "error.type",
  "http.request.method",
  "http.request.body.size",
  "http.response.status_code",
  "http.response.body.size",
  "http.route",
  "network.",
  "server.",
  "process.exit.code",
  "service.",
  "telemetry.",
  "deployment.",
  "host.",
  "os.",
  "k8s.",
  "container.",
  "cloud.",
  "vcs.",
];
const NOT_PLAIN: readonly string[] = ["centspan.prompt."];

/** Figures under other names: counts and measures of emitters that have names of their own. */
const MEASURE = /(^|[._])(tokens?|counts?|costs?|usage|duration|latency|bytes|size|ms|seconds|index|number)([._]|$)/i;
const NUMBER = /^-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i;

const isListed = (list: readonly string[], name: string): boolean =>
  list.some((entry) => (entry.endsWith(".") ? name.startsWith(entry) : name === entry));

export const isContent = (name: string, value: string): boolean =>
  isListed(NOT_PLAIN, name) || !(isListed(PLAIN, name) || (MEASURE.test(name) && NUMBER.test(value)));

/** What is plain of some attributes, and the names of what is not. */
export function splitContent(attributes: Readonly<Record<string, string>>): {
  plain: Record<string, string>;
  hidden: string[];
} {
  const entries = Object.entries(attributes);
  const hidden = entries.filter(([name, value]) => isContent(name, value)).map(([name]) => name);
  return { plain: Object.fromEntries(entries.filter(([name]) => !hidden.includes(name))), hidden };
}
