"use client";
/** Fetches what a run's page asks for beside itself, by address: what fails says so, what is not wanted any more is let go. */
import { decodeSkeleton, type TraceSkeleton } from "@centspan/model";
import { useEffect, useState } from "react";
import type { z } from "zod";
import { PART_SCHEMAS } from "./run-parts.ts";

export type Loaded<T> = { state: "loading" } | { state: "failed"; text: string } | { state: "there"; value: T };
type Load<T> = (address: string, signal: AbortSignal) => Promise<T>;

async function ask(address: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(address, { signal });
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === "object" && body !== null ? Reflect.get(body, "detail") : undefined;
  throw new Error(typeof said === "string" ? said : `HTTP ${response.status}`);
}

export const loadSkeleton: Load<TraceSkeleton> = async (address, signal) =>
  decodeSkeleton(new Uint8Array(await (await ask(address, signal)).arrayBuffer()));

const createLoad =
  <Schema extends z.ZodType>(schema: Schema): Load<z.output<Schema>> =>
  async (address, signal) =>
    schema.parse(await (await ask(address, signal)).json());

export const loadNotes = createLoad(PART_SCHEMAS.notes);
export const loadSteps = createLoad(PART_SCHEMAS.steps);
export const loadContext = createLoad(PART_SCHEMAS.context);
export const loadSpan = createLoad(PART_SCHEMAS.span);
export const loadLogs = createLoad(PART_SCHEMAS.logs);

/** Of no address nothing is asked yet. */
export function useLoaded<T>(load: Load<T>, address: string | null): Loaded<T> {
  const [loaded, setLoaded] = useState<{ address: string; value: Loaded<T> } | null>(null);
  useEffect(() => {
    if (address === null) return;
    const gone = new AbortController();
    const tell = (value: Loaded<T>): void => {
      if (!gone.signal.aborted) setLoaded({ address, value });
    };
    load(address, gone.signal).then(
      (value) => tell({ state: "there", value }),
      (error: unknown) => tell({ state: "failed", text: error instanceof Error ? error.message : String(error) }),
    );
    return () => gone.abort();
  }, [load, address]);
  return loaded !== null && loaded.address === address ? loaded.value : { state: "loading" };
}
