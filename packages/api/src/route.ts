/**
 * What a route of the Trace API is: its address, its schemas, who may call it, and one function that does it.
 * The router parses with these schemas and the OpenAPI document is made from them: nothing is said twice.
 */
import { CentspanError, type Clock } from "@centspan/base";
import type {
  AcceptancePolicyStore,
  ApprovalStore,
  BillingReader,
  BudgetStore,
  CallShapeReader,
  CommitmentStore,
  EngineTimeReader,
  JobStore,
  KeyStore,
  Ledger,
  OrgStore,
  OutcomeFeed,
  OutcomeLinkStore,
  OutcomeSettings,
  PeopleStore,
  PeriodStore,
  Permission,
  PriceTermsStore,
  Principal,
  RatingStore,
  RecommendationStore,
  RetentionPolicies,
  SignalStore,
  SimulationStore,
  SpanStore,
  StudyStore,
  UnratedUnits,
  WasteStore,
  WorkCostStore,
  WorkspaceEnds,
  WorkspaceRows,
} from "@centspan/model";
import type { z } from "zod";

/** A store that can be asked whether it answers. */
type Pingable = { ping(): Promise<void> };

export type ApiDeps = {
  warehouse: SpanStore &
    SignalStore &
    Ledger &
    BillingReader &
    RatingStore &
    EngineTimeReader &
    CallShapeReader &
    OutcomeLinkStore &
    WasteStore &
    WorkCostStore &
    Pick<WorkspaceRows, "exportRows"> &
    Pingable;
  control: KeyStore &
    BudgetStore &
    OrgStore &
    PeopleStore &
    JobStore &
    PeriodStore &
    Pick<UnratedUnits, "listUnratedUnits"> &
    PriceTermsStore &
    RetentionPolicies &
    Pick<WorkspaceEnds, "deleteWorkspace"> &
    CommitmentStore &
    ApprovalStore &
    OutcomeSettings &
    RecommendationStore &
    SimulationStore &
    StudyStore &
    AcceptancePolicyStore &
    Pingable;
  clock: Clock;
};

/** Who calls, resolved to the workspace that the request is about. */
export type Caller = { workspace: string; principal: Principal };

type Headers = { header(name: string): string | null };
type RouteInput<Q, B> = Headers & { deps: ApiDeps; caller: Caller; params: Record<string, string>; query: Q; body: B };

type RouteFacts = {
  id: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path under /api/v1, with `{name}` parameters. */
  path: string;
  summary: string;
  /** What the caller has to have; null where who it is, or the token in its path, is enough. */
  needs: Permission | null;
  /** JSON unless said. */
  bodyType?: "application/json" | "application/xml" | "text/plain";
  /** The route reads the body itself. */
  bodyIsText?: boolean;
  /** For a caller that can present no key: `?key=` names the one whose webhook secret it knows. */
  isSigned?: OutcomeFeed["isSigned"];
  /** The parameter `token` of its path is the credential, and the only one. */
  hasToken?: true;
  /** Offered to agents although it is no GET: to all, as it changes nothing that is there, or to keys that may write. */
  mcp?: "all" | "write";
  /** Of reports, whose refusals are listed: what they are refusals of. */
  reportOf?: string;
  successStatus?: number;
  /** Media types of an answer that is no JSON: then `run` gives the response itself. */
  answerTypes?: readonly string[];
};

type RouteSchemas<Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> = { query: Q; body: B; answer: A };

type RawInput = Headers & {
  deps: ApiDeps;
  caller: Caller;
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
};

/** A route with its parsing inside: takes what came over the wire, gives the answer's value. */
export type Route = RouteFacts &
  RouteSchemas<z.ZodType, z.ZodType, z.ZodType> & { handle(raw: RawInput): Promise<unknown> };

export function defineRoute<Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  route: RouteFacts & RouteSchemas<Q, B, A> & { run(input: RouteInput<z.output<Q>, z.output<B>>): Promise<z.input<A>> },
): Route {
  const { run, ...facts } = route;
  return {
    ...facts,
    handle: ({ query, body, ...rest }) =>
      run({ ...rest, query: parseInput(route.query, query, ""), body: parseInput(route.body, body, "body") }),
  };
}

/** Parses input from outside; the error names the first wrong field and every problem found. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown, root: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const keys = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
    const field = [root, ...keys.map(String)].filter((part) => part !== "").join(".");
    const isMissing =
      issue.code !== "unrecognized_keys" && issue.code !== "custom" && valueAt(value, issue.path) === undefined;
    return { field: field === "" ? "body" : field, message: isMissing ? "is missing" : issue.message };
  });
  throw new CentspanError("invalid_request", problems.map(({ field, message }) => `${field}: ${message}`).join("; "), {
    ...(problems[0] === undefined ? {} : { field: problems[0].field }),
  });
}

/** What stands at a path of parsed JSON; undefined where the path leads nowhere. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
