/** What a model answered in a run, in the form that the reference engine replays (`CENTSPAN_REPLAY_FILES`). */
import type { Event } from "../events/event.ts";

export function writeRecording(events: readonly Event[]): string {
  const started = events.find((event) => event.type === "started");
  const turns = events.flatMap((event) => {
    if (event.type !== "turn_answered") return [];
    const calls = event.calls.map(({ name, argumentsJson }) => ({ name, argumentsJson }));
    return [{ text: event.text, calls, outputTokens: event.usage?.outputTokens ?? null }];
  });
  const recording = { trajectory_format: "centspan-run-1", instance_id: started?.threadId ?? "", turns };
  return `${JSON.stringify(recording, null, 2)}\n`;
}
