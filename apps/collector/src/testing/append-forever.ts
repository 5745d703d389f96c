/** For tests only, as a process to be killed: appends numbered frames, says what is durable, and lets go of the oldest. */
import { NOWHERE } from "../spool/checkpoint.ts";
import { openSpool } from "../spool/open-spool.ts";
import { createBlock } from "./blocks.ts";

const [folder = "", first = "0"] = process.argv.slice(2);
const spool = await openSpool({
  folder,
  maxBytes: 1e9,
  segmentBytes: 20_000,
  nowMs: Date.now,
  onFault: (fault) => process.stderr.write(fault),
});
const say = (word: string, number: number): boolean => process.stdout.write(`${word} ${number}\n`);
let position = spool.start;
for (let number = Number(first); ; number++) {
  await spool.append([{ table: "spans", block: createBlock(`${number} `.padEnd(100 + (number % 7) * 900, "x")) }]);
  say("durable", number);
  if (number % 25 !== 0) continue;
  const { frames, next } = await spool.find("spans", position, { rows: 15, bytes: 1e9, frames: 15 });
  const content: Uint8Array[] = [];
  for await (const chunk of spool.join(frames.slice(-1)).read()) content.push(Buffer.from(chunk));
  say("released", Number.parseInt(Buffer.concat(content).toString(), 10));
  if (next !== NOWHERE) await spool.release(next);
  position = next;
}
