import { InvalidArgumentError } from "commander";

export function readCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 to 9999.");
  return Number(text);
}
