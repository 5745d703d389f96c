/** The shape of a catalogue: the keys of English, with texts as text and text functions of the same arguments. */
import type { en } from "./en.ts";

export type Texts<T> = {
  [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Texts<T[K]>;
};

export type Catalogue = Texts<typeof en>;
