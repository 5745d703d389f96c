"use client";
/** What is odd in a run: how often, where first, and on request what it means. */
import { countFlags, type Forest, formatCount } from "@centspan/ui";
import { useMemo } from "react";
import type { Words } from "./words.ts";

export type Anomaly = { kind: string; count: number };

type OddProps = { forest: Forest; anomalies: readonly Anomaly[]; words: Words; onGo(node: number): void };

const has = <T extends object>(texts: T, kind: string): kind is string & keyof T => kind in texts;

export function Oddities({ forest, anomalies, words, onGo }: OddProps) {
  const flags = useMemo(() => countFlags(forest.flags, forest.order), [forest]);
  const kinds = [...flags, ...anomalies].map(({ kind }) => kind).filter((kind) => has(words.flagOf, kind));
  if (kinds.length === 0) return null;
  return (
    <details className="border-line border-t px-4 py-1.5 text-note">
      <summary className="flex cursor-pointer flex-wrap items-center gap-2">
        <span className="text-ink-2">{words.odd}:</span>
        {[...flags, ...anomalies].map(({ kind, count }) =>
          has(words.flagOf, kind) ? (
            <span key={kind} className="tag tag-attention">
              {words.flagOf[kind]} × {formatCount(count)}
            </span>
          ) : null,
        )}
        <span className="text-accent">{words.oddMeaning}</span>
      </summary>
      <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
        {kinds.map((kind) => {
          const first = flags.find((flag) => flag.kind === kind)?.first ?? -1;
          const text = words.flagOf[kind];
          return (
            <div key={kind} className="contents">
              <dt className="font-semibold">
                {first < 0 ? (
                  text
                ) : (
                  <button
                    type="button"
                    className="text-accent hover:underline"
                    aria-label={words.goToFirst(text)}
                    onClick={() => onGo(first)}
                  >
                    {text}
                  </button>
                )}
              </dt>
              <dd className="text-ink-2">{words.flagMeaning[kind]}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}
