/** Who is signed in, and the way out. In single-user mode there is nobody to name. */
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";

export function UserMenu({ page: { t, person, href } }: { page: Page }) {
  if (person === null) return null;
  return (
    <details className="menu">
      <summary className="control" aria-label={`${t.account}: ${person.email}`}>
        {person.name}
      </summary>
      <div className="menu-list">
        <p className="px-3 py-1.5 text-ink-2 text-note">
          {person.email}
          <br />
          {t.roleOf[person.role]}
        </p>
        <PageLink className="menu-item" href={href("/settings/account")}>
          {t.account}
        </PageLink>
        <form method="post" action="/session">
          <button type="submit" name="do" value="sign-out" className="menu-item">
            {t.signOut}
          </button>
        </form>
      </div>
    </details>
  );
}
