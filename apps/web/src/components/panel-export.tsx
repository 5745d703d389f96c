"use client";
/** The table of a panel as CSV, or its chart as a picture: what is on the screen, as it is there. Shown once code runs. */
import { useContext, useEffect, useRef, useState } from "react";
import { tableToCsv } from "#features/export/table-to-csv.ts";
import { ShellLabelsContext } from "./shell-labels.tsx";

type What = { hasTable: boolean; hasChart: boolean };

const readCells = (table: HTMLTableElement): string[][] =>
  [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""));

function download(name: string, href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

/** Styles come from the page, which a picture by itself does not have. */
function inlineStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  const kept = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "font-size",
    "font-family",
    "font-weight",
  ];
  to.setAttribute("style", kept.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  for (const [index, child] of [...from.children].entries()) {
    const copy = to.children[index];
    if (copy !== undefined) inlineStyles(child, copy);
  }
}

async function downloadPicture(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect();
  const copy = document.importNode(svg, true);
  inlineStyles(svg, copy);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(2, 2);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  download(`${name}.png`, canvas.toDataURL("image/png"));
}

export function PanelExport({ title }: { title: string }) {
  const labels = useContext(ShellLabelsContext);
  const place = useRef<HTMLSpanElement>(null);
  const [what, setWhat] = useState<What>({ hasTable: false, hasChart: false });
  const panelOf = (): Element | null => place.current?.closest("section") ?? null;
  useEffect(() => {
    const panel = place.current?.closest("section");
    if (!panel) return;
    const look = (): void =>
      setWhat({
        hasTable: panel.querySelector("table") !== null,
        hasChart: panel.querySelector("svg.recharts-surface") !== null,
      });
    look();
    // Charts are drawn later than this.
    const watcher = new MutationObserver(look);
    watcher.observe(panel, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, []);
  const saveTable = (): void => {
    const table = panelOf()?.querySelector("table");
    if (!table) return;
    const href = URL.createObjectURL(new Blob([tableToCsv(readCells(table))], { type: "text/csv" }));
    download(`${title}.csv`, href);
    URL.revokeObjectURL(href);
  };
  const saveChart = (): void => {
    const svg = panelOf()?.querySelector<SVGSVGElement>("svg.recharts-surface");
    if (svg) void downloadPicture(svg, title);
  };
  if (labels === null) return null;
  return (
    <span ref={place} className="panel-export">
      {what.hasTable && (
        <button type="button" className="link-button" onClick={saveTable} title={labels.csv}>
          CSV
        </button>
      )}
      {what.hasChart && (
        <button type="button" className="link-button" onClick={saveChart} title={labels.picture}>
          PNG
        </button>
      )}
    </span>
  );
}
