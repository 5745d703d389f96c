/**
 * What every page starts from: language, URL parameters, the Trace API of the named workspace. One translation point:
 * an expected failure of the API becomes a plain state of the page, a bug goes on to the error page.
 */
import { CentspanError } from "@centspan/base";
import { may, type Permission } from "@centspan/model";
import { cookies, headers } from "next/headers";
import { forbidden, notFound } from "next/navigation";
import type { ReactNode } from "react";
import { chooseLanguage, getCatalogue, LANGUAGE_HEADER, type Language } from "#i18n";
import { findAccess } from "#server/page-access";
import { openLinkApi, openTraceApi } from "#server/trace-api";
import { readViewer } from "#server/viewer";
import type { Page, PageBase } from "./page.ts";
import { buildHref, pickCarried, readParams } from "./params.ts";
import { AwayState, BadAddressState } from "./states.tsx";

export type RawParams = Promise<Record<string, string | string[] | undefined>>;

export async function readLanguage(): Promise<Language> {
  const [jar, head] = await Promise.all([cookies(), headers()]);
  return chooseLanguage(head.get(LANGUAGE_HEADER) ?? jar.get("lang")?.value, head.get("accept-language"));
}

async function openBase(path: string, raw: RawParams): Promise<PageBase> {
  const [params, language] = [readParams(await raw), await readLanguage()];
  const carried = pickCarried(params);
  return {
    path,
    params,
    language,
    t: getCatalogue(language),
    nowMs: Date.now(),
    href: (to, changes = {}) => buildHref(to, { ...carried, ...changes }),
    here: (changes) => buildHref(path, { ...params, ...changes }),
  };
}

/** Runs one page. `path` is the page's own address, without parameters. */
export async function renderPage(
  path: string,
  raw: RawParams,
  render: (page: Page) => Promise<ReactNode>,
): Promise<ReactNode> {
  const base = await openBase(path, raw);
  const access = findAccess(path);
  try {
    const { person, principal } = await readViewer(base.params.workspace);
    if (access !== null && !may(principal, access)) forbidden();
    const api = await openTraceApi(base.params.workspace);
    const [workspaces, health, { timeZone }] = await Promise.all([
      api.workspaces(),
      api.health(),
      api.billingTimeZone(),
    ]);
    const rest = {
      ratedThrough: health.ratedThrough,
      zone: timeZone,
      person,
      may: (permission: Permission) => may(principal, permission),
    };
    return await render({ ...base, api, workspaces, ...rest });
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    if (thrown.code === "not_found") notFound();
    if (thrown.code === "forbidden") forbidden();
    if (thrown.code === "invalid_request") return <BadAddressState page={base} detail={thrown.message} />;
    if (thrown.code !== "store_unavailable" && thrown.code !== "not_ready") throw thrown;
    const { stores } = await openLinkApi().health();
    const away = Object.keys(stores).filter((name) => stores[name] === "away");
    return <AwayState page={base} stores={away} />;
  }
}
