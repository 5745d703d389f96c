export { type Gate, openGate } from "./open-gate.ts";
export { startStores } from "./start-stores.ts";
export { waitUntil } from "./wait-until.ts";
