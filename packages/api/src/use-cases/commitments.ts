/** Seats, credits and capacity that a workspace pays for. What closed months say of them stays. */
import { CentspanError, dayOf, startOfDayNs } from "@centspan/base";
import { type Commitment, commitmentSchema, commitmentsSchema, nameActor } from "@centspan/model";
import { findCommitmentProblems, rateCards } from "@centspan/pricing";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute, parseInput } from "../route.ts";
import { requireKnownSpelling } from "./prices.ts";

type Scope = { deps: ApiDeps; caller: Caller };

const answer = z.object({ data: z.array(commitmentSchema), nextCursor: z.null() });
const list = async ({ deps, caller }: Scope) => ({
  data: await deps.control.listCommitments(caller.workspace),
  nextCursor: null,
});

export const listCommitments = defineRoute({
  id: "listCommitments",
  method: "GET",
  path: "/commitments",
  summary: "Seats, prepaid credits, provisioned throughput and GPUs that the workspace pays for",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer,
  run: list,
});

export const addCommitments = defineRoute({
  id: "addCommitments",
  method: "POST",
  path: "/commitments",
  summary:
    "Adds commitments, all or nothing, from a month that is open on. Usage that they cover costs its share of them",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.strictObject({ commitments: commitmentsSchema }),
  answer,
  async run({ deps, caller, body: { commitments } }) {
    const { workspace, principal } = caller;
    for (const { id, provider } of commitments) requireKnownSpelling("commitments", id, provider);
    const facts = await readFacts({ deps, caller });
    await deps.control.addCommitments(workspace, commitments, nameActor(principal), (all, added, closedToNs) => {
      const [problem, ...others] = [
        ...findCommitmentProblems(all, added, facts),
        ...added.flatMap((one) => findClosedProblems(one, "from", closedToNs, facts.timeZone)),
      ];
      if (problem === undefined) return;
      const said = [problem, ...others].map(
        ({ id, field, message }) => `commitments: entry ${id}: ${field}: ${message}`,
      );
      throw new CentspanError("invalid_request", said.join("; "), {
        field: `commitments.${problem.id}.${problem.field}`,
      });
    });
    return list({ deps, caller });
  },
});

export const endCommitment = defineRoute({
  id: "endCommitment",
  method: "PUT",
  path: "/commitments/{id}/end",
  summary: "Ends a commitment that has no end, on a day of a month that is open",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.strictObject({ to: z.string() }),
  answer,
  async run({ deps, caller, params, body: { to } }) {
    const { workspace, principal } = caller;
    const { timeZone } = await readFacts({ deps, caller });
    await deps.control.endCommitment(workspace, params.id ?? "", to, nameActor(principal), (ended, closedToNs) => {
      const { from } = parseInput(commitmentSchema, ended, "");
      const problems = findClosedProblems(ended, "to", closedToNs, timeZone);
      if (to <= from) problems.push({ id: ended.id, field: "to", message: "must be after from" });
      const [problem] = problems;
      if (problem) throw new CentspanError("invalid_request", `to: ${problem.message}`, { field: "to" });
    });
    return list({ deps, caller });
  },
});

export const removeCommitment = defineRoute({
  id: "removeCommitment",
  method: "DELETE",
  path: "/commitments/{id}",
  summary: "Takes a commitment back that was a mistake, and of which no closed month knows",
  needs: "prices.write",
  query: z.strictObject({}),
  body: z.undefined(),
  answer,
  async run({ deps, caller, params }) {
    const { workspace, principal } = caller;
    const { timeZone } = await readFacts({ deps, caller });
    await deps.control.removeCommitment(workspace, params.id ?? "", nameActor(principal), (removed, closedToNs) => {
      const [problem] = findClosedProblems(removed, "from", closedToNs, timeZone);
      if (problem) throw new CentspanError("conflict", `from: ${problem.message}`, { field: "from" });
    });
    return list({ deps, caller });
  },
});

async function readFacts({ deps, caller: { workspace } }: Scope) {
  const [terms, timeZone] = await Promise.all([
    deps.control.readPriceTerms(workspace),
    deps.control.readTimeZone(workspace),
  ]);
  return { book: { cards: rateCards, ...terms }, timeZone };
}

/** What holds from a day on, or no longer, may change nothing that is closed. */
function findClosedProblems(commitment: Commitment, field: "from" | "to", closedToNs: bigint, timeZone: string) {
  const day = commitment[field];
  if (day === undefined || startOfDayNs(timeZone, day) >= closedToNs) return [];
  const message = `is in a month that is closed: the first open day is ${dayOf(timeZone, closedToNs)}`;
  return [{ id: commitment.id, field, message }];
}
