"use client";
/** Words of the shell for what runs in the browser: from the catalogue, once for all pages. */
import { createContext, type ReactNode, useContext } from "react";

export type ShellLabels = {
  csv: string;
  picture: string;
  search: string;
  searchPlaceholder: string;
  nothingFound: string;
  goTo: string;
  savedViews: string;
  saveView: string;
  saveViewAs: string;
  foundKind: Readonly<Record<string, string>>;
  pages: readonly { label: string; path: string }[];
};

/** Null in a page that stands alone. */
export const ShellLabelsContext = createContext<ShellLabels | null>(null);

export function useShellLabels(): ShellLabels {
  const labels = useContext(ShellLabelsContext);
  if (labels === null) throw new Error("assertion failed: the shell has labels");
  return labels;
}

export const ShellLabelsProvider = ({ labels, children }: { labels: ShellLabels; children: ReactNode }) => (
  <ShellLabelsContext value={labels}>{children}</ShellLabelsContext>
);
