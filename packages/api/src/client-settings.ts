/** Of the client: keys, people, and what else is set for a workspace. */
import {
  invitationRowSchema,
  type KeyRules,
  type keyInputSchema,
  keyRowSchema,
  MEMBER_ROLES,
  type MemberRole,
  memberRowSchema,
  type RetentionRow,
  retentionRowSchema,
  type TeamRow,
  teamRowSchema,
  webhookRowSchema,
} from "@centspan/model";
import { z } from "zod";
import { type Get, listOf, type Write } from "./client-parts.ts";

const role = z.enum(MEMBER_ROLES);

export const createSettingsClient = (get: Get, write: Write) => ({
  keys: () => get(listOf(keyRowSchema), "/keys"),
  createKey: (key: z.input<typeof keyInputSchema>) => write(keyRowSchema, "POST", "/keys", key),
  setKeyRules: (keyId: string, rules: KeyRules) =>
    write(keyRowSchema, "PUT", `/keys/${encodeURIComponent(keyId)}/rules`, rules),
  revokeKey: (keyId: string) => write(z.object({ keyId: z.string() }), "DELETE", `/keys/${encodeURIComponent(keyId)}`),
  webhook: (keyId: string) => get(webhookRowSchema, `/keys/${encodeURIComponent(keyId)}/webhook`),
  teams: () => get(listOf(teamRowSchema), "/teams"),
  saveTeam: ({ id, ...team }: TeamRow) => write(teamRowSchema, "PUT", `/teams/${encodeURIComponent(id)}`, team),
  retention: () => get(listOf(retentionRowSchema), "/retention"),
  setRetention: ({ signal, days }: RetentionRow) => write(retentionRowSchema, "PUT", `/retention/${signal}`, { days }),
  deleteWorkspace: (confirm: string) =>
    write(z.object({ workspace: z.string() }), "DELETE", `/workspace?confirm=${encodeURIComponent(confirm)}`),
  members: () => get(listOf(memberRowSchema), "/members"),
  setMemberRole: (personId: string, given: MemberRole) =>
    write(z.object({ personId: z.string(), role }), "PUT", `/members/${encodeURIComponent(personId)}`, { role: given }),
  removeMember: (personId: string) =>
    write(z.object({ personId: z.string() }), "DELETE", `/members/${encodeURIComponent(personId)}`),
  invitations: () => get(listOf(invitationRowSchema), "/invitations"),
  invite: (given: { email: string; role: MemberRole }) => write(invitationRowSchema, "POST", "/invitations", given),
  withdrawInvitation: (invitationId: string) =>
    write(z.object({ invitationId: z.string() }), "DELETE", `/invitations/${encodeURIComponent(invitationId)}`),
});
