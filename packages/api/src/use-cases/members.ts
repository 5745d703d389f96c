/** People of a workspace: who is a member as what, and links by which others join. For people to manage, never for keys. */
import {
  emailSchema,
  type Invitation,
  type InvitationRow,
  invitationRowSchema,
  MEMBER_ROLES,
  type Member,
  type MemberRow,
  memberRowSchema,
  nameActor,
} from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

const role = z.enum(MEMBER_ROLES);

export const listMembers = defineRoute({
  id: "listMembers",
  method: "GET",
  path: "/members",
  summary: "People of the workspace, with their roles",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(memberRowSchema), nextCursor: z.null() }),
  run: async ({ deps, caller }) => ({
    data: (await deps.control.listMembers(caller.workspace)).map(toMemberRow),
    nextCursor: null,
  }),
});

export const setMemberRole = defineRoute({
  id: "setMemberRole",
  method: "PUT",
  path: "/members/{personId}",
  summary: "What a member is from now on; an owner is always left",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.strictObject({ role }),
  answer: z.object({ personId: z.string(), role }),
  async run({ deps, caller, params: { personId = "" }, body }) {
    await deps.control.setRole(caller.workspace, personId, body.role, nameActor(caller.principal));
    return { personId, role: body.role };
  },
});

export const removeMember = defineRoute({
  id: "removeMember",
  method: "DELETE",
  path: "/members/{personId}",
  summary: "Ends a membership at once; an owner is always left",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ personId: z.string(), removed: z.literal(true) }),
  async run({ deps, caller, params: { personId = "" } }) {
    await deps.control.removeMember(caller.workspace, personId, nameActor(caller.principal));
    return { personId, removed: true as const };
  },
});

export const listInvitations = defineRoute({
  id: "listInvitations",
  method: "GET",
  path: "/invitations",
  summary: "Links by which people may still join, without their tokens",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(invitationRowSchema), nextCursor: z.null() }),
  run: async ({ deps, caller }) => ({
    data: (await deps.control.listInvitations(caller.workspace)).map(toInvitationRow),
    nextCursor: null,
  }),
});

export const inviteMember = defineRoute({
  id: "inviteMember",
  method: "POST",
  path: "/invitations",
  summary: "Makes a link by which one person joins, once; the answer is the only time its token is shown",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.strictObject({ email: emailSchema, role }),
  answer: invitationRowSchema,
  successStatus: 201,
  run: async ({ deps, caller, body }) =>
    toInvitationRow(await deps.control.invite(caller.workspace, body, nameActor(caller.principal))),
});

export const withdrawInvitation = defineRoute({
  id: "withdrawInvitation",
  method: "DELETE",
  path: "/invitations/{invitationId}",
  summary: "The link is good no more",
  needs: "members.manage",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ invitationId: z.string(), withdrawn: z.literal(true) }),
  async run({ deps, caller, params: { invitationId = "" } }) {
    await deps.control.withdrawInvitation(caller.workspace, invitationId, nameActor(caller.principal));
    return { invitationId, withdrawn: true as const };
  },
});

const toMemberRow = ({ since, ...member }: Member): MemberRow => ({ ...member, since: since.toISOString() });

const toInvitationRow = ({
  workspace: _own,
  expiresAt,
  ...invitation
}: Invitation & { token?: string }): InvitationRow => ({ ...invitation, expiresAt: expiresAt.toISOString() });
