/** What the harness does against repeated work, each with a switch to show what it is worth. All are on by default. */
import { CentspanError } from "@centspan/base";

const MECHANISMS = {
  webSocket: "one WebSocket per thread, in place of a request per turn",
  incremental: "only what is new is sent on it",
  hints: "the gateway is told of ends and long waits",
  stableInstructions: "what changes, the time of day among it, is no part of the instructions",
  stableTools: "tools in one fixed order, as the same bytes in every turn",
  deferredTools: "tools of servers and plug-ins are found by tool_search, not listed in the prompt",
  compactSchemas: "tool schemas without what no model needs",
  cutOutput: "tool output above 10,000 tokens is cut, and kept to be read by range",
  compactContext: "a conversation that fills the window is summed up once",
  stableHistory: "what stays of one that is summed up stays where it was, before its summary",
  parallelTools: "calls that only read run beside each other",
};

export type Mechanism = keyof typeof MECHANISMS;
export type Mechanisms = Readonly<Record<Mechanism, boolean>>;

const isMechanism = (name: string): name is Mechanism => Object.hasOwn(MECHANISMS, name);

export const MECHANISM_NAMES: readonly Mechanism[] = Object.keys(MECHANISMS).filter(isMechanism);

/** All of them but those that are named. */
export function createMechanisms(without: readonly string[] = []): Mechanisms {
  const unknown = without.find((name) => !isMechanism(name));
  if (unknown !== undefined) {
    const message = `without: there is no mechanism ${JSON.stringify(unknown)}; there are ${MECHANISM_NAMES.join(", ")}`;
    throw new CentspanError("invalid_request", message, { field: "without" });
  }
  const isOn = (name: Mechanism): boolean => !without.includes(name);
  return {
    webSocket: isOn("webSocket"),
    incremental: isOn("incremental"),
    hints: isOn("hints"),
    stableInstructions: isOn("stableInstructions"),
    stableTools: isOn("stableTools"),
    deferredTools: isOn("deferredTools"),
    compactSchemas: isOn("compactSchemas"),
    cutOutput: isOn("cutOutput"),
    compactContext: isOn("compactContext"),
    stableHistory: isOn("stableHistory"),
    parallelTools: isOn("parallelTools"),
  };
}
