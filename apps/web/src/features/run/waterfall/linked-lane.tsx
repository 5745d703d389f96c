"use client";
/** Engine steps elsewhere that a decode span links to, where they were in time. A click on one opens it. */
import { StepBars, type WaterfallRow } from "@centspan/ui";
import { partAddress } from "./part-address.ts";
import type { Lane } from "./run-parts.ts";
import type { Model } from "./use-model.ts";
import { loadSteps, useLoaded } from "./use-parts.ts";
import type { Words } from "./words.ts";

type LaneProps = { model: Model; run: string; row: WaterfallRow; words: Words; onSelect(id: string): void };

export function LinkedLane({ model, run, row, words, onSelect }: LaneProps) {
  const loaded = useLoaded(loadSteps, partAddress(run, "steps", { span: row.spanId ?? "" }));
  if (loaded.state !== "there") {
    return <span className="wf-lane-text">{loaded.state === "failed" ? loaded.text : words.loading}</span>;
  }
  if (loaded.value === null) return <span className="wf-lane-text">{words.noSteps}</span>;
  const lane = loaded.value;
  const { fromNs, toNs } = model.window;
  const startNs = Number(BigInt(lane.startNs) - model.forest.skeleton.startNs);
  const lengthNs = Number(BigInt(lane.endNs) - BigInt(lane.startNs));
  const scale = 100 / (toNs - fromNs || 1);
  const bars = lane.bars.map((bar) => ({
    ...bar,
    leftPct: (startNs + (bar.leftPct / 100) * lengthNs - fromNs) * scale,
    widthPct: (bar.widthPct / 100) * lengthNs * scale,
  }));
  const openStep = (place: number): void => {
    const at = model.forest.skeleton.startNs + BigInt(Math.round(fromNs + place * (toNs - fromNs)));
    const step = findStep(lane, at);
    if (step !== undefined) onSelect(`${step.traceId}:${step.spanId}`);
  };
  return (
    <button
      type="button"
      className="absolute inset-0 cursor-pointer"
      aria-label={lane.text}
      tabIndex={-1}
      onClick={(event) => {
        event.stopPropagation();
        const { left, width } = event.currentTarget.getBoundingClientRect();
        openStep((event.clientX - left) / width);
      }}
    >
      <StepBars bars={bars} label={lane.text} />
      <span className="wf-lane-text">{lane.text}</span>
    </button>
  );
}

/** The one at an instant, or else the last before it. */
const findStep = ({ steps }: Lane, atNs: bigint): Lane["steps"][number] | undefined =>
  steps.findLast(({ startNs }) => BigInt(startNs) <= atNs) ?? steps[0];
