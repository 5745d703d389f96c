/** `centspan members`: people of a workspace, and links by which they join. Who has the stores makes the first owner. */

import { CentspanError } from "@centspan/base";
import { emailSchema, MEMBER_ROLES, type MemberRole } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatTable } from "../report.ts";
import { ACTOR, type OpenStores, printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type MemberOptions = { data: string; workspace: string };

function readEmail(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CentspanError("invalid_request", `email: ${parsed.error.issues[0]?.message}`, { field: "email" });
}

const describeLink = ({ token, email, expiresAt }: { token: string; email: string; expiresAt: Date }): string =>
  `Open this once, under the address of the pages, as ${email}, before ${expiresAt.toISOString().slice(0, 16)}Z:\n/join/${token}`;

async function findMember({ control }: OpenStores, workspace: string, text: string): Promise<string> {
  const email = readEmail(text);
  const found = (await control.listMembers(workspace)).find((member) => member.email === email);
  if (found === undefined) throw new CentspanError("not_found", `There is no member ${email} in this workspace.`);
  return found.personId;
}

export function registerMembers(program: Command, defaultData: string): void {
  const command = program.command("members").description("people of a workspace, who sign in to the pages");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);
  const roleOption = (): Option => new Option("--role <role>", "what they may do").choices([...MEMBER_ROLES]);

  add("list", "members and open invitations").action((options: MemberOptions) =>
    printWithWorkspace(options, async (_api, { control }) => {
      const members = await control.listMembers(options.workspace);
      const invited = await control.listInvitations(options.workspace);
      return formatTable([
        ["email", "name", "role", "since"],
        ...members.map(({ email, name, role, since }) => [email, name, role, since.toISOString().slice(0, 10)]),
        ...invited.map(({ email, role, expiresAt }) => [
          ...[email, "–", role, `invited, until ${expiresAt.toISOString().slice(0, 10)}`],
        ]),
      ]);
    }),
  );

  add("invite", "make a link by which one person joins, once; the first owner of a workspace too")
    .argument("<email>", "theirs")
    .addOption(roleOption().default("viewer"))
    .action((email: string, options: MemberOptions & { role: MemberRole }) =>
      printWithWorkspace(options, async (_api, { control }) =>
        describeLink(await control.invite(options.workspace, { email: readEmail(email), role: options.role }, ACTOR)),
      ),
    );

  add("reset", "make a link by which a member sets a new password")
    .argument("<email>", "the member's")
    .action((email: string, options: MemberOptions) =>
      printWithWorkspace(options, async (_api, { control }) =>
        describeLink(await control.inviteToReset(options.workspace, readEmail(email), ACTOR)),
      ),
    );

  add("role", "change what a member may do")
    .argument("<email>", "the member's")
    .addOption(roleOption().makeOptionMandatory())
    .action((email: string, options: MemberOptions & { role: MemberRole }) =>
      printWithWorkspace(options, async (_api, stores) => {
        const personId = await findMember(stores, options.workspace, email);
        await stores.control.setRole(options.workspace, personId, options.role, ACTOR);
        return `${email} is ${options.role} from now on`;
      }),
    );

  add("remove", "end a membership, at once")
    .argument("<email>", "the member's")
    .action((email: string, options: MemberOptions) =>
      printWithWorkspace(options, async (_api, stores) => {
        await stores.control.removeMember(options.workspace, await findMember(stores, options.workspace, email), ACTOR);
        return `${email} is a member no more`;
      }),
    );
}
