"use client";
/** Keys of the waterfall: up and down move between rows, left and right fold, Escape closes the panel. Adds nothing else. */
import { useRouter } from "next/navigation";
import { type KeyboardEvent, type ReactNode, useEffect } from "react";

const rowOf = (element: Element | null): Element | null => element?.closest("[data-row]") ?? null;

function focusBeside(row: Element, step: 1 | -1): void {
  const rows = [...document.querySelectorAll("[data-row]")];
  rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>("[data-select]")?.focus();
}

export function RowKeys({ closeHref, children }: { closeHref: string | null; children: ReactNode }) {
  const router = useRouter();
  useEffect(() => {
    if (closeHref === null) return;
    const close = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape") router.push(closeHref, { scroll: false });
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [router, closeHref]);

  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = rowOf(document.activeElement);
    if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const fold = row.querySelector<HTMLElement>("[data-fold]");
    if (event.key === "ArrowDown") focusBeside(row, 1);
    else if (event.key === "ArrowUp") focusBeside(row, -1);
    else if (event.key === "ArrowRight" && fold?.dataset.fold === "closed") fold.click();
    else if (event.key === "ArrowLeft" && fold?.dataset.fold === "open") fold.click();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys only move focus between links that work without them
    <div onKeyDown={move}>{children}</div>
  );
}
