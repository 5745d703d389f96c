"use client";
/** Log records of a run by the span that they name, and when. */
import { type Forest, parseInstantNs, readRowId } from "@centspan/ui";
import { useMemo } from "react";
import type { Part } from "./run-parts.ts";

export type LogTicks = ReadonlyMap<number, readonly { atNs: number; attention: boolean }[]>;

/** From here on a severity is a warning. */
const WARN = 13;
const MOST_A_ROW = 40;

export function useLogTicks(forest: Forest, logs: Part<"logs"> | null): LogTicks {
  return useMemo(() => {
    const nodes = new Map<string, number>();
    const ticks = new Map<number, { atNs: number; attention: boolean }[]>();
    for (const { spanId, at, severityNumber } of logs ?? []) {
      if (spanId === "") continue;
      const node = nodes.get(spanId) ?? readRowId(forest, spanId).node;
      nodes.set(spanId, node);
      const own = ticks.get(node) ?? [];
      if (node < 0 || own.length === MOST_A_ROW) continue;
      own.push({
        atNs: Number(parseInstantNs(at) - forest.skeleton.startNs),
        attention: severityNumber >= WARN,
      });
      ticks.set(node, own);
    }
    return ticks;
  }, [forest, logs]);
}
