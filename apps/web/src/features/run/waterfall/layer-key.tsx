/** What the colours of bars and the marks on them mean. */
import { layerColour } from "@centspan/ui";
import type { Words } from "./words.ts";

export function LayerKey({ words }: { words: Words }) {
  return (
    <span className="flex flex-wrap gap-x-3">
      {(["harness", "api", "inference"] as const).map((layer) => (
        <span key={layer} className="flex items-center gap-1.5 text-ink-2">
          <i className="inline-block size-[9px]" style={{ background: layerColour(layer) }} />
          {words.layerOf[layer]}
        </span>
      ))}
      <span>{words.criticalNote}</span>
      <span>{words.repeatedNote}</span>
    </span>
  );
}
