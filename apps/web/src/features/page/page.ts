/** What a page knows while it is made: types only, so that frame, states and features need not know how it was opened. */
import type { ApiClient } from "@centspan/api";
import type { Permission } from "@centspan/model";
import type { Catalogue, Language } from "#i18n";
import type { Viewer } from "#server/viewer";
import type { Changes, Params } from "./params.ts";

export type PageBase = {
  path: string;
  params: Params;
  language: Language;
  t: Catalogue;
  nowMs: number;
  /** An address elsewhere in the app: keeps workspace and period. */
  href(path: string, changes?: Changes): string;
  /** This page with some parameters changed; null takes one away. */
  here(changes: Changes): string;
};

export type Page = PageBase & {
  api: ApiClient;
  /** Who looks at it; null in single-user mode. */
  person: Viewer["person"];
  may(permission: Permission): boolean;
  workspaces: { id: string; name: string }[];
  ratedThrough: string | null;
  /** Whose days its days are: the calendar that the workspace's months follow. */
  zone: string;
};
