"use client";
/** Opens the palette, where a name for this address is typed: a saved view is a name and an address. */
import { OPEN_PALETTE } from "./command-palette.tsx";
import { useShellLabels } from "./shell-labels.tsx";

export function SaveView() {
  const { saveView } = useShellLabels();
  return (
    <button
      type="button"
      className="control no-print"
      onClick={() => document.dispatchEvent(new CustomEvent(OPEN_PALETTE, { detail: document.title.split(" · ")[0] }))}
    >
      {saveView}
    </button>
  );
}
