"use client";
/** Clocks that disagree: by how much each host is moved, off with a switch, or moved by hand. */
import { formatCount, formatDuration, type SkewedHost, type SkewView } from "@centspan/ui";
import type { Words } from "./words.ts";

const NS_PER_MS = 1e6;

const describeShift = (ns: number): string =>
  `${ns < 0 ? "−" : "+"}${formatDuration(BigInt(Math.round(Math.abs(ns))))}`;

const describeShifts = ({ leastNs, mostNs }: SkewedHost): string =>
  leastNs === mostNs ? describeShift(leastNs) : `${describeShift(leastNs)} … ${describeShift(mostNs)}`;

type MenuProps = {
  skew: SkewView;
  moved: readonly SkewedHost[];
  hosts: readonly string[];
  words: Words;
  onSkew(skew: SkewView): void;
};

export function SkewMenu({ skew, moved, hosts, words, onSkew }: MenuProps) {
  if (moved.length === 0 && skew.on && skew.hosts.size === 0) return null;
  return (
    <details className="menu menu-left">
      <summary className="control">
        {words.skew}: {skew.on ? words.skewOn : words.skewOff}
      </summary>
      <div className="menu-list p-3!">
        <label className="flex items-center gap-2 text-note">
          <input
            type="checkbox"
            checked={skew.on}
            onChange={(event) => onSkew({ on: event.currentTarget.checked, hosts: skew.hosts })}
          />
          {words.skewCorrect}
        </label>
        <ul className="mt-2 text-ink-2 text-note">
          {moved.map((host) => (
            <li key={host.host}>{words.skewText(host.host, formatCount(host.spans), describeShifts(host))}</li>
          ))}
        </ul>
        {skew.on &&
          hosts.map((host) => (
            <label key={host} className="field-label mt-2">
              {words.skewHost(host)}
              <input
                type="number"
                step="any"
                className="field w-[120px]"
                value={skew.hosts.has(host) ? (skew.hosts.get(host) ?? 0) / NS_PER_MS : ""}
                onChange={({ currentTarget: { value } }) => {
                  const changed = new Map(skew.hosts);
                  if (value === "" || Number.isNaN(Number(value))) changed.delete(host);
                  else changed.set(host, Number(value) * NS_PER_MS);
                  onSkew({ on: true, hosts: changed });
                }}
              />
            </label>
          ))}
        {skew.hosts.size > 0 && (
          <button type="button" className="control mt-2" onClick={() => onSkew({ on: true, hosts: new Map() })}>
            {words.skewReset}
          </button>
        )}
      </div>
    </details>
  );
}
