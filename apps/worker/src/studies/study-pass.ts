/**
 * Works on studies, one at a time. While it does, it is heard of; told that a study is not wanted any more, it stops at once. What
 * ends it with an error ends the study with it: asked again, it would fail again.
 */
import { randomUUID } from "node:crypto";
import { CentspanError } from "@centspan/base";
import type { ClaimedStudy, StudyEnd, StudyQueue } from "@centspan/model";
import { describeFailure, runStudy, type StudyStores } from "./run-study.ts";

/** Who is not heard of for as long has lost its study. */
const SILENCE_MS = 30_000;
const HEARTBEAT_MS = 1_000;

export type StudyPass = { run(): Promise<boolean>; stop(): void };

export type StudyPassOptions = { queue: StudyQueue; stores: StudyStores; threads: number };

export function createStudyPass({ queue, stores, threads }: StudyPassOptions): StudyPass {
  const worker = `worker ${randomUUID()}`;
  const stopping = new AbortController();
  const workOn = async (study: ClaimedStudy): Promise<StudyEnd | null> => {
    const unwanted = new AbortController();
    let progress = "";
    const beat = setInterval(() => {
      // A store that is away for a moment is no reason to stop; the next beat tells.
      queue.reportStudy(worker, study.id, progress).then(
        (isWanted) => isWanted || unwanted.abort(),
        () => undefined,
      );
    }, HEARTBEAT_MS);
    const signal = AbortSignal.any([unwanted.signal, stopping.signal]);
    const stopped = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new CentspanError("interrupted", "it is not wanted any more")));
    });
    stopped.catch(() => undefined);
    try {
      const say = (text: string): void => {
        progress = text;
      };
      return await Promise.race([runStudy(study, { stores, threads, signal, say }), stopped]);
    } catch (error) {
      const failure = describeFailure(error);
      if (failure !== null) return { state: "failed", progress: failure, result: null };
      // A worker that stops leaves it to the next one.
      return stopping.signal.aborted ? null : { state: "cancelled", progress, result: null };
    } finally {
      clearInterval(beat);
    }
  };
  return {
    async run() {
      if (stopping.signal.aborted) return false;
      const study = await queue.claimStudy(worker, SILENCE_MS);
      if (study === null) return false;
      const end = await workOn(study);
      if (end !== null) await queue.endStudy(worker, study.id, end);
      return true;
    },
    stop: () => stopping.abort(),
  };
}
