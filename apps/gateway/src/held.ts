/**
 * What is large and not needed for as long as an answer takes. Whoever waits for that answer reaches it through here alone, so that
 * it is gone when it is let go: frames and closures that wait keep this, and nothing of what was held.
 */
import type { Conversation } from "@centspan/model";
import type { ParsedBody } from "./stages/parse.ts";

export type Held<T> = {
  /** Throws once it is gone, which is a fault of whoever asks. */
  get(): T;
  isGone(): boolean;
  letGo(): void;
};

export function hold<T>(value: T): Held<T> {
  let held: { value: T } | null = { value };
  return {
    get() {
      if (held === null) throw new Error("what was held is gone");
      return held.value;
    },
    isGone: () => held === null,
    letGo() {
      held = null;
    },
  };
}

/** What a request says, in all the forms that were made of it: until nobody else can be asked. */
export type Said = {
  body: ParsedBody;
  conversation: Conversation;
  ids: Uint32Array;
  /** Of each piece of the prompt, where its ids end. */
  pieceEnds: readonly number[];
};
