/** People and the workspaces that they are members of. How they sign in is not said here. */
import { z } from "zod";
import { MEMBER_ROLES, type MemberRole } from "./access.ts";

/** As it is compared: nobody tells addresses apart by their case. */
export const emailSchema = z
  .email("must be an e-mail address")
  .max(254)
  .transform((email) => email.toLowerCase());

export type Member = { personId: string; email: string; name: string; role: MemberRole; since: Date };
export type Membership = { workspace: string; workspaceName: string; org: string; role: MemberRole };

/** Whoever has its link joins with that role, once; `isReset`: the link sets a new password of a member instead. */
export type Invitation = {
  invitationId: string;
  workspace: string;
  email: string;
  role: MemberRole;
  isReset: boolean;
  invitedBy: string;
  expiresAt: Date;
};

/** Changes are in the audit log, with their actor. */
export type PeopleStore = {
  listMembers(workspace: string): Promise<Member[]>;
  /** In the order of their names. */
  listMemberships(personId: string): Promise<Membership[]>;
  /** Those that may still be used. */
  listInvitations(workspace: string): Promise<Invitation[]>;
  /** In place of an earlier one for that address. The token is seen this once. `conflict` for who is a member already. */
  invite(
    workspace: string,
    given: { email: string; role: MemberRole },
    actor: string,
  ): Promise<Invitation & { token: string }>;
  /** The same for a member who has forgotten the password. `not_found`. */
  inviteToReset(workspace: string, email: string, actor: string): Promise<Invitation & { token: string }>;
  withdrawInvitation(workspace: string, invitationId: string, actor: string): Promise<void>;
  /** `hasAccount`: somebody with that address has signed in before, and does so again to join. Null where it is not good. */
  findInvitation(token: string): Promise<(Invitation & { workspaceName: string; hasAccount: boolean }) | null>;
  /** `conflict` where no owner would be left. */
  setRole(workspace: string, personId: string, role: MemberRole, actor: string): Promise<void>;
  removeMember(workspace: string, personId: string, actor: string): Promise<void>;
};

export const memberRowSchema = z.object({
  personId: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(MEMBER_ROLES),
  since: z.string(),
});
export type MemberRow = z.infer<typeof memberRowSchema>;

export const invitationRowSchema = z.object({
  invitationId: z.string(),
  email: z.string(),
  role: z.enum(MEMBER_ROLES),
  isReset: z.boolean(),
  invitedBy: z.string(),
  expiresAt: z.string(),
  /** Only in the answer to the request that made it: the end of the link `/join/…`. */
  token: z.string().optional(),
});
export type InvitationRow = z.infer<typeof invitationRowSchema>;
