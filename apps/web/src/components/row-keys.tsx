"use client";
/** Keys of the waterfall: up and down move between rows, left and right fold, Escape closes the panel. Draws nothing. */
import { useRouter } from "next/navigation";
import { useEffect } from "react";

function focusBeside(row: Element, step: 1 | -1): void {
  const rows = [...document.querySelectorAll("[data-row]")];
  rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>("[data-select]")?.focus();
}

/** Whether the key meant something to the row that has the focus. */
function moveFrom(row: Element, key: string): boolean {
  const fold = row.querySelector<HTMLElement>("[data-fold]");
  if (key === "ArrowDown") focusBeside(row, 1);
  else if (key === "ArrowUp") focusBeside(row, -1);
  else if (key === "ArrowRight" && fold?.dataset.fold === "closed") fold.click();
  else if (key === "ArrowLeft" && fold?.dataset.fold === "open") fold.click();
  else return false;
  return true;
}

export function RowKeys({ closeHref }: { closeHref: string | null }) {
  const router = useRouter();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape" && closeHref !== null) router.push(closeHref, { scroll: false });
      const row = document.activeElement?.closest("[data-row]") ?? null;
      if (row !== null && moveFrom(row, event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [router, closeHref]);
  return null;
}
