/**
 * Who looks at a page: a person with a session and a role in the workspace, or, in single-user mode, the owner of this machine.
 * Asked of the stores for each request, so that a role that changed, or a session that ended, counts at once. Server only.
 */
import { CentspanError } from "@centspan/base";
import type { SignedIn } from "@centspan/control/sign-in";
import { type MemberRole, PERMISSIONS_OF_ROLE, type Principal } from "@centspan/model";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { PATH_HEADER } from "./path-header.ts";
import { openOnce } from "./stores.ts";

export type Viewer = {
  principal: Principal;
  /** Null in single-user mode. */
  person: (SignedIn & { role: MemberRole }) | null;
};

/** Null where nobody is signed in, or nobody has to. */
export const readSignedIn = cache(async (): Promise<SignedIn | null> => {
  const { signIn } = openOnce();
  return signIn === null ? null : signIn.findSession(new Headers(await headers()));
});

/** Sends whoever is not signed in to the sign-in. `not_found` for a workspace that they are no member of. */
export const readViewer = cache(async (workspace: string | undefined): Promise<Viewer> => {
  const { mode, home, stores } = openOnce();
  if (mode.kind === "single-user") return { principal: describeOwner(home), person: null };
  const signedIn = await requireSignedIn();
  const memberships = await stores.control.listMemberships(signedIn.personId);
  const found =
    workspace === undefined
      ? (memberships.find((one) => one.workspace === home.workspace) ?? memberships[0])
      : memberships.find((one) => one.workspace === workspace);
  if (found === undefined) throw refuse(workspace, memberships.length);
  const { role, org } = found;
  const principal: Principal = {
    ...{ keyId: signedIn.personId, keyName: signedIn.email, kind: "person", scopes: PERMISSIONS_OF_ROLE[role] },
    ...{ workspace: found.workspace, org, orgWide: false, team: null, rules: {} },
  };
  return { principal, person: { ...signedIn, role } };
});

export async function requireSignedIn(): Promise<SignedIn> {
  const signedIn = await readSignedIn();
  if (signedIn !== null) return signedIn;
  const next = (await headers()).get(PATH_HEADER) ?? "/";
  return redirect(next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`);
}

const refuse = (workspace: string | undefined, memberships: number): CentspanError =>
  memberships === 0
    ? new CentspanError("forbidden", "workspace: you are a member of none")
    : new CentspanError("not_found", `workspace: no workspace ${JSON.stringify(workspace)} for you`, {
        field: "workspace",
      });

const describeOwner = (home: { org: string; workspace: string }): Principal => ({
  ...{ keyId: "web", keyName: "web", kind: "person", scopes: null },
  ...{ ...home, orgWide: true, team: null, rules: {} },
});
