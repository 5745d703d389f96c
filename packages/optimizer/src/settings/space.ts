/**
 * A space of settings: values for some of the knobs, all others as they are. Its points are numbered, so that a seeded
 * draw without repetition needs no list of them.
 * Invariant: every point can be written into settings; a value that can't is refused when the space is made.
 */
import { CentspanError, createRandom } from "@centspan/base";
import { isKnob, KNOB_IDS, KNOBS, type KnobId, type KnobValue, type Machines, type Settings } from "./knobs.ts";

/** A value for each knob of the space, in the space's order. */
export type Point = readonly KnobValue[];

export type Space = {
  readonly knobs: readonly { id: KnobId; values: readonly KnobValue[] }[];
  readonly size: number;
  readonly present: Settings;
  readonly machines: Machines;
};

const MOST_POINTS = 2 ** 40;

/**
 * `values`: by knob. What is set now is added where it is missing: it is always one of the points. Throws
 * `invalid_request` naming the knob and the value.
 */
export function createSpace(
  present: Settings,
  values: Readonly<Record<string, readonly KnobValue[] | undefined>>,
  machines: Machines = {},
): Space {
  for (const id of Object.keys(values))
    if (!isKnob(id))
      throw new CentspanError("invalid_request", `space: no knob ${id}; known: ${KNOB_IDS.join(", ")}`, {
        field: `space.${id}`,
      });
  const knobs = KNOB_IDS.flatMap((id) => {
    const given = values[id];
    if (given === undefined) return [];
    const now = KNOBS[id].read(present, machines);
    const isKnown = given.includes(now);
    return [{ id, values: isKnown ? [...new Set(given)] : [now, ...new Set(given)] }];
  });
  const space = { knobs, size: knobs.reduce((size, knob) => size * knob.values.length, 1), present, machines };
  if (space.size > MOST_POINTS)
    throw new CentspanError("invalid_request", `space: ${space.size} points are too many`, { field: "space" });
  for (const { id, values: all } of knobs)
    for (const one of all) if (one !== KNOBS[id].read(present, machines)) KNOBS[id].write(present, one, machines);
  return space;
}

/** The settings that a point stands for. What is set already is left as it is, to the last field. */
export function writePoint({ knobs, present, machines }: Space, point: Point): Settings {
  let settings = present;
  for (const [at, { id }] of knobs.entries()) {
    const value = point[at];
    if (value !== undefined && value !== KNOBS[id].read(settings, machines))
      settings = KNOBS[id].write(settings, value, machines);
  }
  return settings;
}

export const presentPoint = ({ knobs, present, machines }: Space): Point =>
  knobs.map(({ id }) => KNOBS[id].read(present, machines));

/** Points that mean the same settings have the same key. */
export const keyOf = (space: Space, point: Point): string => JSON.stringify(writePoint(space, point));

export function pointAt({ knobs }: Space, index: number): Point {
  let rest = index;
  return knobs.map(({ values }) => {
    const value = values[rest % values.length];
    rest = Math.floor(rest / values.length);
    return value ?? "";
  });
}

export const listPoints = (space: Space): Point[] => Array.from({ length: space.size }, (_, at) => pointAt(space, at));

/** The present point, then as many others as asked for, in an order drawn from the seed; all of a small space. */
export function drawPoints(space: Space, count: number, seed: number): Point[] {
  const random = createRandom(seed);
  const present = presentPoint(space);
  const keys = new Set([keyOf(space, present)]);
  const drawn: Point[] = [present];
  const take = (index: number): void => {
    const point = pointAt(space, index);
    const key = keyOf(space, point);
    if (keys.has(key)) return;
    keys.add(key);
    drawn.push(point);
  };
  if (space.size <= 4 * count) {
    const order = shuffle(space.size, () => random.next());
    for (const index of order) if (drawn.length < count) take(index);
    return drawn;
  }
  // Far more points than are wanted: the few draws that repeat are drawn again, up to a bound that ends it in any case.
  for (let tries = 0; drawn.length < count && tries < 20 * count; tries += 1)
    take(Math.floor(random.next() * space.size));
  return drawn;
}

function shuffle(size: number, next: () => number): number[] {
  const order = Array.from({ length: size }, (_, at) => at);
  for (let at = size - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    const [a = 0, b = 0] = [order[at], order[other]];
    order[at] = b;
    order[other] = a;
  }
  return order;
}

/** Points that differ in one knob, in the order of the space. */
export const neighboursOf = ({ knobs }: Space, point: Point): Point[] =>
  knobs.flatMap(({ values }, at) =>
    values.filter((other) => other !== point[at]).map((other) => point.with(at, other)),
  );

export type Change = { knob: KnobId; from: KnobValue; to: KnobValue };

export const listChanges = (space: Space, from: Point, to: Point): Change[] =>
  space.knobs.flatMap(({ id }, at) => {
    const [before, after] = [from[at], to[at]];
    return before === undefined || after === undefined || before === after
      ? []
      : [{ knob: id, from: before, to: after }];
  });
