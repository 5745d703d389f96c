"use client";
/** What stands above the rows: how they are folded, the search, the critical path, the axis, clocks, copies, keys. */
import { FOLDS, type Fold, formatCount } from "@centspan/ui";
import type { ReactNode, RefObject } from "react";
import type { View } from "../waterfall-state.ts";
import { CopyButton } from "./copy-button.tsx";
import type { Words } from "./words.ts";

type ToolbarProps = {
  view: View;
  words: Words;
  found: number;
  onlyCritical: boolean;
  isHelpOpen: boolean;
  search: RefObject<HTMLInputElement | null>;
  skew: ReactNode;
  curl(): string;
  onFold(fold: Fold): void;
  onFind(text: string): void;
  onMatch(step: 1 | -1): void;
  onCritical(): void;
  onZoom(change: "in" | "out" | "whole"): void;
  onHelp(): void;
};

function Search({ view, words, found, search, onFind, onMatch }: ToolbarProps) {
  return (
    <span className="flex items-center gap-1.5">
      <input
        ref={search}
        type="search"
        className="field w-[230px] max-sm:w-[150px]"
        placeholder={words.search}
        aria-label={words.search}
        value={view.find}
        onChange={(event) => onFind(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onMatch(event.shiftKey ? -1 : 1);
        }}
      />
      {view.find !== "" && (
        <>
          <span className="text-axis text-ink-2" aria-live="polite">
            {found === 0 ? words.noMatch : words.matches(formatCount(found))}
          </span>
          <button type="button" className="control px-2!" aria-label={words.previous} onClick={() => onMatch(-1)}>
            ↑
          </button>
          <button type="button" className="control px-2!" aria-label={words.next} onClick={() => onMatch(1)}>
            ↓
          </button>
        </>
      )}
    </span>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { view, words, onlyCritical, isHelpOpen, skew, curl, onFold, onCritical, onZoom, onHelp } = props;
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-4 pt-2 pb-2">
      <select
        className="field"
        aria-label={words.foldMenu}
        value={view.fold}
        onChange={(event) => onFold(FOLDS.find((fold) => fold === event.currentTarget.value) ?? "auto")}
      >
        {FOLDS.map((fold) => (
          <option key={fold} value={fold}>
            {words.foldOf[fold]}
          </option>
        ))}
      </select>
      <Search {...props} />
      <button type="button" className="control" aria-pressed={onlyCritical} onClick={onCritical}>
        {words.critical}
      </button>
      {skew}
      <span className="ml-auto flex items-center gap-1.5">
        <button type="button" className="control px-2.5!" aria-label={words.zoomOut} onClick={() => onZoom("out")}>
          −
        </button>
        <button type="button" className="control px-2.5!" aria-label={words.zoomIn} onClick={() => onZoom("in")}>
          +
        </button>
        <button type="button" className="control" disabled={view.window === null} onClick={() => onZoom("whole")}>
          {words.wholeRun}
        </button>
        <CopyButton words={words} label={words.copyLink} text={() => window.location.href} />
        <CopyButton words={words} label={words.copyCurl} text={curl} />
        <button type="button" className="control px-2.5!" aria-expanded={isHelpOpen} onClick={onHelp}>
          {words.help}
        </button>
      </span>
      {isHelpOpen && (
        <ul className="w-full rounded-control bg-sunken px-3 py-2 text-ink-2 text-note">
          {Object.values(words.keyOf).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
