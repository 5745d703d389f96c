/**
 * Events that the engine's schedule has reached and the wall clock perhaps not yet: each goes to its receiver once its
 * instant has come, in order. A receiver hears of exactly one end, or was forgotten.
 */
import type { CentspanError } from "@centspan/base";
import type { ServingEvent } from "@centspan/serving";

export type Receiver = {
  onToken(index: number): void;
  onFinished(atNs: number): void;
  onFailed(error: CentspanError): void;
};

export type Outbox = {
  expect(id: string, receiver: Receiver): void;
  forget(id: string): void;
  put(atNs: bigint, events: ServingEvent[]): void;
  deliver(nowNs: bigint): void;
  failAll(error: CentspanError): void;
  isEmpty(): boolean;
};

export function createOutbox(): Outbox {
  const receivers = new Map<string, Receiver>();
  const due: { atNs: bigint; events: ServingEvent[] }[] = [];

  const hand = (event: ServingEvent): void => {
    const receiver = receivers.get(event.id);
    if (event.type === "token") receiver?.onToken(event.index);
    else {
      receivers.delete(event.id);
      receiver?.onFinished(event.atNs);
    }
  };

  return {
    expect: (id, receiver) => receivers.set(id, receiver),
    forget: (id) => receivers.delete(id),
    put(atNs, events) {
      if (events.length > 0) due.push({ atNs, events });
    },
    deliver(nowNs) {
      for (let next = due[0]; next && next.atNs <= nowNs; next = due[0]) {
        due.shift();
        next.events.forEach(hand);
      }
    },
    failAll(error) {
      const failed = [...receivers.values()];
      receivers.clear();
      due.length = 0;
      for (const receiver of failed) receiver.onFailed(error);
    },
    isEmpty: () => due.length === 0,
  };
}
