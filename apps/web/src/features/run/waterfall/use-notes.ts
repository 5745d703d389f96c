"use client";
/** What rows say beside their bars: asked for once they have stood still in sight, some at a time, and kept. */
import { useEffect, useState } from "react";
import { partAddress } from "./part-address.ts";
import type { Part } from "./run-parts.ts";
import { loadNotes } from "./use-parts.ts";

export type Notes = ReadonlyMap<string, Part<"notes">[string] | null>;

const STILL_MS = 120;
/** More than fit on a screen; the API takes twice as many. */
const MOST = 100;

export function useNotes(run: string, spanIds: readonly string[]): Notes {
  const [notes, setNotes] = useState<Notes>(new Map());
  const wanted = spanIds
    .filter((id) => !notes.has(id))
    .slice(0, MOST)
    .join(",");
  useEffect(() => {
    if (wanted === "") return;
    const gone = new AbortController();
    const timer = setTimeout(() => {
      loadNotes(partAddress(run, "notes", { spans: wanted }), gone.signal).then(
        (told) =>
          setNotes((before) => new Map([...before, ...wanted.split(",").map((id) => [id, told[id] ?? null] as const)])),
        // A row without its note is a row all the same.
        () => undefined,
      );
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [run, wanted]);
  return notes;
}
