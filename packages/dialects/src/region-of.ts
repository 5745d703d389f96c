/** Hosts by which a provider keeps inference in a region, where that has a price of its own. */
const OPENAI_REGION = /^(?:https:\/\/)?(us|eu)\.api\.openai\.com$/;

/** Of a host or an origin; "" where it tells none. */
export const regionOf = (address: string): string => OPENAI_REGION.exec(address)?.[1] ?? "";
