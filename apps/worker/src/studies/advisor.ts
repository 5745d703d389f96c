/** Advice as the Trace API gives it, asked in this process as the owner of the workspace. */
import { createApiClient, createTraceApi } from "@centspan/api";
import type { Principal } from "@centspan/model";
import type { StudyStores } from "./run-study.ts";

export function createAdvisor(deps: Parameters<typeof createTraceApi>[0]): StudyStores["readAdvice"] {
  const api = createTraceApi(deps);
  return async (workspace, subject) => {
    const worker: Principal = {
      ...{
        keyId: "worker",
        keyName: "worker",
        kind: "api",
        scopes: null,
        workspace,
        org: "",
        orgWide: false,
        team: null,
        rules: {},
      },
    };
    const client = createApiClient((path, init) =>
      api.handle(new Request(new URL(path, "http://trace-api.internal"), init), worker),
    );
    return (await client.advice({ subject })).data;
  };
}
