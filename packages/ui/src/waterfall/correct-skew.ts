/**
 * A view of a trace as if its hosts had one clock. Only between hosts that both say who they are: what starts before the
 * span that called it there is moved into the middle of it, or, where it is longer, to its start; what is below goes along.
 * The spans stay as they came. Of a host that a person sets, all spans are moved by that and nothing else.
 */
import type { TraceSkeleton } from "@centspan/model";

export type SkewView = { on: boolean; hosts: ReadonlyMap<string, number> };
export const AS_SENT: SkewView = { on: false, hosts: new Map() };

/** Spans of a host that are shown elsewhere than their clock says, and by how much at least and at most. */
export type SkewedHost = { host: string; spans: number; leastNs: number; mostNs: number };

export function correctSkew(skeleton: TraceSkeleton, parents: Int32Array, { on, hosts }: SkewView) {
  const shiftsNs = new Float64Array(skeleton.face.length);
  if (!on) return { shiftsNs, moved: [] };
  const hostOf = (node: number): string => skeleton.faces[skeleton.face[node] ?? 0]?.host ?? "";
  const moved = new Map<string, SkewedHost>();
  for (const node of listTopDown(parents)) {
    if (node >= shiftsNs.length) continue;
    const host = hostOf(node);
    const parent = parents[node] ?? -1;
    const shift = hosts.get(host) ?? (parent < 0 || parent >= shiftsNs.length ? 0 : chooseShift(node, parent));
    if (shift === 0) continue;
    shiftsNs[node] = shift;
    const known = moved.get(host) ?? { host, spans: 0, leastNs: shift, mostNs: shift };
    known.spans += 1;
    known.leastNs = Math.min(known.leastNs, shift);
    known.mostNs = Math.max(known.mostNs, shift);
    moved.set(host, known);
  }
  function chooseShift(node: number, parent: number): number {
    const along = shiftsNs[parent] ?? 0;
    const [own, above] = [hostOf(node), hostOf(parent)];
    if (own === "" || above === "" || own === above) return along;
    const length = (of: number): number => Math.max(0, Number(skeleton.durationsNs[of] ?? 0n));
    const start = Number(skeleton.startsNs[node] ?? 0n);
    const parentStart = Number(skeleton.startsNs[parent] ?? 0n) + along;
    if (start >= parentStart) return 0;
    return parentStart - start + Math.max(0, (length(parent) - length(node)) / 2);
  }
  return { shiftsNs, moved: [...moved.values()] };
}

/** Parents before their children, whatever their numbers: each way up is walked once and told from its end. */
function* listTopDown(parents: Int32Array): Generator<number> {
  const told = new Uint8Array(parents.length);
  const way: number[] = [];
  for (let start = 0; start < parents.length; start += 1) {
    for (let at = start; at >= 0 && told[at] === 0; at = parents[at] ?? -1) {
      told[at] = 1;
      way.push(at);
    }
    for (let node = way.pop(); node !== undefined; node = way.pop()) yield node;
  }
}
