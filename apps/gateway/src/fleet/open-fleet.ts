/**
 * The gateways that share a control plane, and how much of the traffic this one should get: by what a call costs on its
 * generation of processor, beside the cheapest one. Gateways of one generation are even, whatever each just had to do.
 */
import { asCentspanError, createId } from "@centspan/base";
import type { GatewayCosts, GenerationCost } from "@centspan/model";
import { reportFault } from "@centspan/service";
import type { CallCost } from "./learn-cost.ts";

export type Fleet = {
  /** A whole number of percent, from 1 to 100, of what a gateway of the cheapest generation gets. */
  weight(): number;
  /** Tells the others what a call costs here, and hears what it costs there. */
  visit(): Promise<void>;
  close(): void;
};

export type FleetOptions = { store: GatewayCosts; cpuModel: string; cost: CallCost };

const VISIT_EVERY_MS = 10_000;

export function openFleet({ store, cpuModel, cost }: FleetOptions): Fleet {
  const gateway = createId("gw");
  let weight = 100;
  const visit = async (): Promise<void> => {
    cost.learn();
    weight = weigh(cpuModel, await store.shareGatewayCost({ gateway, cpuModel, cpuUsPerCall: cost.cpuUs() }));
  };
  // While the store is away, what was heard last holds.
  const visitNow = (): void => void visit().catch((thrown: unknown) => reportFault(asCentspanError(thrown)));
  const timer = setInterval(visitNow, VISIT_EVERY_MS).unref();
  visitNow();
  return { weight: () => weight, visit, close: () => clearInterval(timer) };
}

function weigh(cpuModel: string, costs: readonly GenerationCost[]): number {
  const own = costs.find((each) => each.cpuModel === cpuModel);
  if (own === undefined) return 100;
  const least = Math.min(...costs.map(({ cpuUsPerCall }) => cpuUsPerCall));
  return Math.max(1, Math.round((100 * least) / own.cpuUsPerCall));
}
