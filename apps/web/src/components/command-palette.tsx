"use client";
/**
 * Search and commands: Ctrl K, or the field in the top bar, which is a plain form where no code runs. Pages, views that were saved,
 * and what the Trace API finds; arrows choose, Enter opens, Escape closes.
 */
import { clsx } from "clsx";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { buildHref, pickCarried } from "#features/page/params.ts";
import type { Found } from "#features/search/find.ts";
import { type Choice, listChoices } from "#features/search/list-choices.ts";
import { addView, readViews, type SavedView, writeViews } from "#features/search/saved-views.ts";
import { useShellLabels } from "./shell-labels.tsx";

const WAIT_MS = 150;
/** With what stands in the field then. */
export const OPEN_PALETTE = "centspan:palette";

export function CommandPalette() {
  const labels = useShellLabels();
  const router = useRouter();
  const [path, search] = [usePathname(), useSearchParams()];
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [views, setViews] = useState<SavedView[]>([]);
  const found = useFound(text, search.get("workspace"));
  const open = (asked = ""): void => {
    setViews(readViews(localStorage));
    setText(asked);
    setAt(0);
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    const onOpen = (event: Event): void => open(event instanceof CustomEvent ? String(event.detail) : "");
    document.addEventListener("keydown", onKey);
    document.addEventListener(OPEN_PALETTE, onOpen);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener(OPEN_PALETTE, onOpen);
    };
  });

  const keep = (changed: SavedView[]): void => {
    writeViews(localStorage, changed);
    setViews(changed);
  };
  const take = (choice: Choice): void => {
    if ("href" in choice) {
      dialog.current?.close();
      router.push(choice.href);
    } else {
      keep(addView(views, { name: choice.keepAs, href: here }));
      setText("");
    }
  };
  const here = buildHref(path, Object.fromEntries(search));
  const choices = listChoices(text, { views, found, carried: pickCarried(Object.fromEntries(search)), here }, labels);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((Math.min(at, choices.length - 1) + step + choices.length) % Math.max(choices.length, 1));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      if (chosen !== undefined) take(chosen);
    }
    if (event.key === "Delete" && chosen !== undefined && "view" in chosen && chosen.view !== null)
      keep(views.filter(({ name }) => name !== chosen.view));
  };

  return (
    <>
      <search>
        <form action="/search" className="top-search">
          {/* Not on focus alone: who goes on by keys would never get past it. */}
          <input
            name="q"
            className="field top-field"
            onClick={() => open()}
            onInput={({ currentTarget }) => {
              open(currentTarget.value);
              currentTarget.value = "";
            }}
            aria-label={labels.search}
            placeholder={labels.searchPlaceholder}
          />
          <span className="key-hint">Ctrl K</span>
        </form>
      </search>
      <dialog ref={dialog} className="palette" aria-label={labels.search}>
        <input
          className="palette-field"
          role="combobox"
          aria-label={labels.search}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen === undefined ? undefined : `palette-${choices.indexOf(chosen)}`}
          placeholder={labels.searchPlaceholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <div id="palette-list" role="listbox" aria-label={labels.search} className="palette-list">
          {choices.map((choice, index) => (
            <div
              key={choice.id}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={choice === chosen}
              className={clsx("palette-choice", choice === chosen && "palette-chosen")}
              onClick={() => take(choice)}
              onKeyDown={onKey}
            >
              <span className="text-ink-3 text-note">{choice.group}</span>
              <span className="min-w-0 truncate">{choice.label}</span>
              <span className="min-w-0 truncate text-ink-3 text-note">{choice.note}</span>
            </div>
          ))}
          {choices.length === 0 && <p className="px-3.5 py-2 text-ink-2">{labels.nothingFound}</p>}
        </div>
      </dialog>
    </>
  );
}

/** Asked a moment after the last key, and not again for what nobody waits for any more. */
function useFound(text: string, workspace: string | null): Found[] {
  const [found, setFound] = useState<Found[]>([]);
  const asked = text.trim();
  useEffect(() => {
    if (asked.length < 2) {
      setFound([]);
      return;
    }
    const leaving = new AbortController();
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ q: asked, ...(workspace !== null && { workspace }) });
      try {
        const answer = await fetch(`/search/results?${query}`, { signal: leaving.signal });
        const { data }: { data: Found[] } = await answer.json();
        // Of what is refused, or away, the page itself tells.
        setFound(data);
      } catch {
        // Another key was pressed, or the server is away: the page itself says so.
        setFound([]);
      }
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [asked, workspace]);
  return found;
}
