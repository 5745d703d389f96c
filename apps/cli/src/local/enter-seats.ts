/** Seats that a person says pay for what histories tell: asked for once, where somebody can answer, and skipped by an empty line. */
import type { ApiClient } from "@centspan/api";
import { commitmentsSchema } from "@centspan/model";
import { askPerson } from "./ask-person.ts";

type Seat = { provider: string; plan: string; perMonth: string; seats?: string };

/** Of all usage of the provider in the workspace. */
export const describeSeat = ({ provider, plan, perMonth, seats = "1" }: Seat, from: string) =>
  commitmentsSchema.parse([
    {
      kind: "seats",
      id: `seat-${provider}-${plan}`.toLowerCase().replace(/[^a-z0-9._-]+/g, "-"),
      plan,
      seats: Number(seats),
      perSeatMonth: perMonth,
      provider,
      model: "*",
      scope: "org",
      scopeIds: [],
      from,
      source: "entered by hand",
    },
  ]);

/** "Max 20x 200" is a plan and what a seat of it costs a month; null for anything else. */
export function readSeatAnswer(answer: string): { plan: string; perMonth: string } | null {
  const [, plan, perMonth] = /^(\S.*?)\s+\$?(\d+(?:\.\d{1,6})?)$/.exec(answer.trim()) ?? [];
  return plan === undefined || perMonth === undefined ? null : { plan, perMonth };
}

/** The first day of the month of the first call; null while there is none. */
export async function findFirstMonth(api: ApiClient): Promise<string | null> {
  const { data } = await api.cost({ groupBy: "day" });
  const [first] = data.map(({ group }) => group).sort();
  return first === undefined ? null : `${first.slice(0, 7)}-01`;
}

/** Nothing where seats are known already. What can't be read as a plan and a price is said, and skipped. */
export async function enterSeats(api: ApiClient, signal: AbortSignal): Promise<void> {
  const [{ data: known }, { data: spend }, from] = await Promise.all([
    api.commitments(),
    api.cost({ groupBy: "provider" }),
    findFirstMonth(api),
  ]);
  if (known.length > 0 || from === null) return;
  for (const { group: provider } of spend.filter(({ costUsd }) => Number(costUsd) > 0)) {
    const question = `Does a seat pay for ${provider}? Its plan and price a month in USD, such as "Max 20x 200"; Enter skips: `;
    const answer = await askPerson(question, signal);
    if (answer === null) return;
    const seat = readSeatAnswer(answer);
    if (seat !== null) await api.addCommitments(describeSeat({ provider, ...seat }, from));
    else if (answer !== "") process.stdout.write("Skipped: that is no plan with a price behind it.\n");
  }
}
