/** Answers what a run's page asks for beside itself. Server only; words are of the reader's language. */
import { CentspanError } from "@centspan/base";
import {
  describeSpan,
  formatCount,
  formatDuration,
  indexSteps,
  parseInstantNs,
  prepareLane,
  type StepLane,
} from "@centspan/ui";
import type { Catalogue } from "#i18n";
import type { Page } from "../page/page.ts";
import { loadCauseWords } from "../waste/words-of-cause.ts";
import { describeNote, needsAttention } from "./describe-note.ts";
import type { Part, PartName } from "./waterfall/run-parts.ts";
import { splitSelection } from "./waterfall-state.ts";

type Asker = Pick<Page, "api" | "params" | "t" | "language">;

const MOST = "1000";

export const PARTS: { [Name in PartName]: (asker: Asker, traceId: string) => Promise<Part<Name>> } = {
  async notes({ api, params, t }, traceId) {
    const { data } = await api.spanRows(traceId, { ids: params.spans });
    const notes: Part<"notes"> = {};
    for (const span of data) {
      const note = describeSpan(span);
      if (note !== null) notes[span.spanId] = { text: describeNote(note, t), attention: needsAttention(note) };
    }
    return notes;
  },
  async steps({ api, params, t }, traceId) {
    const { data } = await api.spanRows(traceId, { ids: params.span, linked: "true" });
    const own = data.find((span) => !span.linked);
    const lane = own === undefined ? null : prepareLane(own, indexSteps(data));
    if (lane === null) return null;
    return {
      startNs: lane.startNs.toString(),
      endNs: lane.endNs.toString(),
      text: describeLane(lane, t),
      bars: lane.bars,
      steps: data
        .filter((span) => span.linked && span.name === "inference.decode.step")
        .map((span) => {
          const startNs = parseInstantNs(span.startedAt);
          const { traceId: engine, spanId } = span;
          return {
            traceId: engine,
            spanId,
            startNs: startNs.toString(),
            endNs: (startNs + BigInt(span.durationNs)).toString(),
          };
        }),
    };
  },
  async context({ api }, traceId) {
    const [calls, turns, waste] = await Promise.all([
      api.calls({ traceId, limit: MOST }),
      api.spanRows(traceId, { name: "loop.turn" }),
      api.wasteItems({ traceId, limit: MOST }),
    ]);
    return { calls: calls.data, areAll: calls.nextCursor === null, turns: turns.data, waste: waste.data };
  },
  async span(asker, traceId) {
    const { api, params } = asker;
    if (params.span === undefined) throw new CentspanError("invalid_request", "span: is missing", { field: "span" });
    const place = splitSelection(params.span, traceId);
    const [span, calls, waste, wordsOf] = await Promise.all([
      api.span(place.traceId, place.spanId),
      api.calls(place),
      api.wasteItems(place),
      loadCauseWords(asker),
    ]);
    const words = Object.fromEntries(waste.data.map(({ cause }) => [cause, wordsOf(cause)]));
    return { span, calls: calls.data, waste: waste.data, words };
  },
  async logs({ api }, traceId) {
    const { data } = await api.logs({ traceId, limit: MOST });
    return data;
  },
};

export const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);

function describeLane(lane: StepLane, t: Catalogue): string {
  const { batch } = lane;
  const range = batch === null ? "–" : batch.min === batch.max ? `${batch.min}` : `${batch.min}–${batch.max}`;
  const facts = [t.laneText(formatDuration(lane.medianNs), range)];
  if (lane.mixedSteps > 0) facts.push(t.laneMixed(formatCount(lane.mixedSteps)));
  if (lane.missing > 0) facts.push(t.laneMissing(formatCount(lane.missing)));
  return facts.join(" · ");
}
