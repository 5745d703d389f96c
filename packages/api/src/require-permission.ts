import { CentspanError } from "@centspan/base";
import { MEMBER_ROLES, may, PERMISSIONS_OF_ROLE, type Permission, type Principal } from "@centspan/model";

/** The refusal says who has it, so that whoever reads it knows whom or what to ask for. */
export function requirePermission(principal: Principal, permission: Permission): void {
  if (may(principal, permission)) return;
  const roles = MEMBER_ROLES.filter((role) => PERMISSIONS_OF_ROLE[role].includes(permission));
  const who =
    principal.kind === "person" ? `your role lacks ${permission}` : `this ${principal.kind} key lacks ${permission}`;
  const remedy =
    roles.length === 0 ? "" : `; members have it as ${roles.join(" or ")}, api keys by the scope of that name`;
  throw new CentspanError("forbidden", `authorization: ${who}${remedy}`);
}
