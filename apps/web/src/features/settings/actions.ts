"use server";
/** What the settings pages change: parses, asks the Trace API once as whoever is signed in, and answers with the page, or why not. */
import { CentspanError } from "@centspan/base";
import { emailSchema, MEMBER_ROLES } from "@centspan/model";
import { redirect } from "next/navigation";
import { z } from "zod";
import type { ActionAnswer } from "#components/action-form";
import { getCatalogue } from "#i18n";
import { describeOrigin } from "#server/describe-origin";
import { openTraceApi } from "#server/trace-api";
import { readLanguage } from "../page/open-page.tsx";
import { buildHref } from "../page/params.ts";

type Workspace = string | undefined;
type Api = Awaited<ReturnType<typeof openTraceApi>>;

/** Does it, and leads back to the page; or says why it was refused. */
async function change(
  { workspace, path }: { workspace: Workspace; path: string },
  work: (api: Api) => Promise<ActionAnswer | null>,
): Promise<ActionAnswer> {
  let answer: ActionAnswer | null;
  try {
    answer = await work(await openTraceApi(workspace));
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return { refusal: thrown.message };
  }
  return answer ?? redirect(buildHref(path, { workspace }));
}

const MEMBERS = "/settings/members";
const roleSchema = z.enum(MEMBER_ROLES);

export async function inviteMember(workspace: Workspace, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const t = getCatalogue(await readLanguage());
  const parsed = z.object({ email: emailSchema, role: roleSchema }).safeParse(Object.fromEntries(sent));
  if (!parsed.success) return { refusal: parsed.error.issues[0]?.message ?? "" };
  return change({ workspace, path: MEMBERS }, async (api) => {
    const { token } = await api.invite(parsed.data);
    return { label: t.inviteLink, secret: `${await describeOrigin()}/join/${token}` };
  });
}

export async function withdrawInvitation(target: { workspace: Workspace; id: string }): Promise<ActionAnswer> {
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.withdrawInvitation(target.id);
    return null;
  });
}

export async function changeRole(
  target: { workspace: Workspace; id: string },
  _before: unknown,
  sent: FormData,
): Promise<ActionAnswer> {
  const role = roleSchema.safeParse(sent.get("role"));
  if (!role.success) return { refusal: role.error.issues[0]?.message ?? "" };
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.setMemberRole(target.id, role.data);
    return null;
  });
}

export async function removeMember(target: { workspace: Workspace; id: string }): Promise<ActionAnswer> {
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.removeMember(target.id);
    return null;
  });
}
