"use client";
/** Puts a text on the clipboard and says so. Where a browser keeps its clipboard shut, the old way is taken. */
import { useEffect, useState } from "react";
import type { Words } from "./words.ts";

const SAID_MS = 1500;

async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

type CopyProps = { words: Pick<Words, "copied">; label: string; text(): string; small?: boolean };

export function CopyButton({ words, label, text, small = false }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className={small ? "control h-6! px-2!" : "control"}
      onClick={() => copy(text()).then(() => setCopied(true))}
    >
      {/* Both texts take their room, so that nothing moves. */}
      <span className="grid">
        <span className="col-start-1 row-start-1" style={{ visibility: isCopied ? "hidden" : "visible" }}>
          {label}
        </span>
        <span
          className="col-start-1 row-start-1"
          style={{ visibility: isCopied ? "visible" : "hidden" }}
          aria-live="polite"
        >
          {isCopied ? words.copied : ""}
        </span>
      </span>
    </button>
  );
}
