"use server";
/** What the settings pages change: parses, asks the Trace API once as whoever is signed in, and answers with the page, or why not. */
import { CentspanError } from "@centspan/base";
import { emailSchema, type KeyRules, MEMBER_ROLES, retentionRowSchema, teamRowSchema } from "@centspan/model";
import { redirect } from "next/navigation";
import { z } from "zod";
import type { ActionAnswer } from "#components/action-form";
import { getCatalogue } from "#i18n";
import { describeOrigin } from "#server/describe-origin";
import { openTraceApi } from "#server/trace-api";
import { readLanguage } from "../page/open-page.tsx";
import { buildHref } from "../page/params.ts";
import { readKey, readLimits } from "./key-form.ts";

type Workspace = string | undefined;
type Target = { workspace: Workspace; id: string };
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

const describeIssue = ({ issues: [issue] }: z.ZodError): string => `${issue?.path.join(".")}: ${issue?.message}`;

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

export async function withdrawInvitation(target: Target): Promise<ActionAnswer> {
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.withdrawInvitation(target.id);
    return null;
  });
}

export async function changeRole(target: Target, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const role = roleSchema.safeParse(sent.get("role"));
  if (!role.success) return { refusal: role.error.issues[0]?.message ?? "" };
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.setMemberRole(target.id, role.data);
    return null;
  });
}

export async function removeMember(target: Target): Promise<ActionAnswer> {
  return change({ ...target, path: MEMBERS }, async (api) => {
    await api.removeMember(target.id);
    return null;
  });
}

const KEYS = "/settings/keys";

export async function makeKey(workspace: Workspace, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const t = getCatalogue(await readLanguage());
  const parsed = readKey(sent);
  if (parsed === null) return { refusal: t.numberWrong };
  if (!parsed.success) return { refusal: describeIssue(parsed.error) };
  return change({ workspace, path: KEYS }, async (api) => {
    const { secret } = await api.createKey(parsed.data);
    return { label: t.keySecret, secret: secret ?? "" };
  });
}

export async function revokeKey(target: Target): Promise<ActionAnswer> {
  return change({ ...target, path: KEYS }, async (api) => {
    await api.revokeKey(target.id);
    return null;
  });
}

/** Rules are set whole: what the form does not show is taken from the key as it is. */
async function changeRules(api: Api, keyId: string, edit: (rules: KeyRules) => KeyRules): Promise<void> {
  const key = (await api.keys()).data.find((one) => one.keyId === keyId);
  if (key === undefined) throw new CentspanError("not_found", `There is no key ${keyId} in this workspace.`);
  await api.setKeyRules(keyId, edit(key.rules));
}

export async function saveLimits(target: Target, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const t = getCatalogue(await readLanguage());
  if (readLimits(sent, {}) === null) return { refusal: t.numberWrong };
  return change({ ...target, path: KEYS }, async (api) => {
    await changeRules(api, target.id, (rules) => readLimits(sent, rules) ?? rules);
    return null;
  });
}

export async function recordContent(target: Target & { isOn: boolean }): Promise<ActionAnswer> {
  return change({ ...target, path: "/settings/content" }, async (api) => {
    await changeRules(api, target.id, ({ content: _before, ...rules }) =>
      target.isOn ? { ...rules, content: true } : rules,
    );
    return null;
  });
}

export async function saveTeam(workspace: Workspace, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const parsed = teamRowSchema.safeParse(Object.fromEntries(sent));
  if (!parsed.success) return { refusal: describeIssue(parsed.error) };
  return change({ workspace, path: "/settings/teams" }, async (api) => {
    await api.saveTeam(parsed.data);
    return null;
  });
}

export async function keepFor(target: Target, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  const said = String(sent.get("days") ?? "").trim();
  const parsed = retentionRowSchema.safeParse({ signal: target.id, days: said === "" ? null : Number(said) });
  if (!parsed.success) return { refusal: describeIssue(parsed.error) };
  return change({ ...target, path: "/settings/retention" }, async (api) => {
    await api.setRetention(parsed.data);
    return null;
  });
}

export async function endWorkspace(workspace: Workspace, _before: unknown, sent: FormData): Promise<ActionAnswer> {
  return change({ workspace: undefined, path: "/" }, async () => {
    await (await openTraceApi(workspace)).deleteWorkspace(String(sent.get("confirm") ?? "").trim());
    return null;
  });
}
