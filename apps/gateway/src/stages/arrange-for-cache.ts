/**
 * What a key wants changed in its requests so that a prompt cache serves more of them. Off unless its rules say so; what
 * was changed is told on the call's span. Text is moved and added to, never written anew: numbers keep their digits.
 */
import type { SpanAttributes } from "@centspan/telemetry";
import type { Exchange } from "../exchange.ts";
import { readElements, readMembers, writeElements, writeMembers } from "../json-members.ts";
import { findRoute } from "./apply-rules.ts";
import type { ParsedBody } from "./parse.ts";

export type ArrangedBody = { body: ParsedBody; changes: SpanAttributes };

export function arrangeForCache({ rules, identity, protocol }: Exchange, body: ParsedBody): ArrangedBody {
  const { breakpoints = false, stableTools = false } = rules.cache ?? {};
  if (!isObject(body.json) || !(breakpoints || stableTools)) return { body, changes: {} };
  const members = readMembers(body.bytes.toString());
  const sorted = stableTools && sortTools(members, body.json);
  const json = sorted ? JSON.parse(writeMembers(members)) : body.json;
  const model = findRoute(rules, identity)?.model ?? (typeof body.json.model === "string" ? body.json.model : "");
  const added = breakpoints ? (protocol.placeBreakpoints?.(members, json, model) ?? 0) : 0;
  if (!sorted && added === 0) return { body, changes: {} };
  const text = writeMembers(members);
  return {
    body: { bytes: Buffer.from(text), json: JSON.parse(text) },
    changes: {
      "centspan.cache.tools_sorted": sorted ? true : undefined,
      "centspan.cache.breakpoints_added": added === 0 ? undefined : added,
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether their order changed. Those of one name stay in theirs. */
function sortTools(members: Map<string, string>, { tools }: Record<string, unknown>): boolean {
  if (!Array.isArray(tools)) return false;
  const names = tools.map(nameTool);
  const order = names.map((_name, at) => at).sort((a, b) => compare(names[a], names[b]) || a - b);
  if (order.every((from, to) => from === to)) return false;
  const elements = readElements(members.get("tools") ?? "[]");
  members.set("tools", writeElements(order.map((at) => elements[at] ?? "null")));
  return true;
}

const nameTool = (tool: unknown): string => {
  const { name, function: called, custom, type } = Object(tool);
  const named = name ?? called?.name ?? custom?.name ?? type;
  return typeof named === "string" ? named : "";
};

/** By code units: the same everywhere. */
const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);
