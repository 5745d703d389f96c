import { describe, expect, it } from "vitest";
import { readSignInMode } from "./sign-in-mode.ts";

const HERE = { HOSTNAME: "127.0.0.1" };
const ACCOUNTS = {
  HOSTNAME: "0.0.0.0",
  CENTSPAN_WEB_URL: "https://costs.example.com/",
  CENTSPAN_AUTH_SECRET: "0123456789abcdef0123456789abcdef",
};

const read = (env: Record<string, string | undefined>): unknown => {
  try {
    return readSignInMode(env);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown;
  }
};

describe("one person without a password", () => {
  it.each([["127.0.0.1"], ["localhost"], ["::1"]])("at %s", (HOSTNAME) =>
    expect(read({ HOSTNAME, CENTSPAN_WEB_HOSTS: "", CENTSPAN_SIGN_IN: "" })).toEqual({ kind: "single-user" }),
  );

  it.each([
    ["any address", { HOSTNAME: "0.0.0.0" }, "HOSTNAME is 0.0.0.0"],
    ["an address of the network", { HOSTNAME: "192.168.1.20" }, "HOSTNAME is 192.168.1.20"],
    ["nobody says where", {}, "HOSTNAME is not set"],
    [
      "a proxy serves other names",
      { ...HERE, CENTSPAN_WEB_HOSTS: "costs.example.com" },
      "CENTSPAN_WEB_HOSTS is costs.example.com",
    ],
    [
      "people are told another address",
      { ...HERE, CENTSPAN_WEB_URL: "https://costs.example.com" },
      "CENTSPAN_WEB_URL is https://costs.example.com",
    ],
  ])("not where %s, whatever is set, and the error says what to do", (_where, env, why) => {
    expect(read({ ...env, CENTSPAN_SIGN_IN: "off" })).toBe(
      `CENTSPAN_SIGN_IN: off is for one person at this machine, and others can reach these pages (${why}): set it to on, or listen at 127.0.0.1`,
    );
    expect(read(env)).not.toEqual({ kind: "single-user" });
  });
});

describe("people who sign in", () => {
  it("anywhere, and at a loopback address where it is asked for", () => {
    const { CENTSPAN_AUTH_SECRET: secret } = ACCOUNTS;
    expect(read(ACCOUNTS)).toEqual({ kind: "accounts", url: "https://costs.example.com", secret, oidc: null });
    const here = {
      ...HERE,
      CENTSPAN_AUTH_SECRET: secret,
      CENTSPAN_WEB_URL: "http://localhost:3000",
      CENTSPAN_SIGN_IN: "on",
    };
    expect(read(here)).toMatchObject({ kind: "accounts", url: "http://localhost:3000" });
  });

  it.each([
    [{ CENTSPAN_WEB_URL: undefined }, /^CENTSPAN_WEB_URL: is not set/],
    [{ CENTSPAN_WEB_URL: "costs.example.com" }, /^CENTSPAN_WEB_URL: "costs.example.com" is no address/],
    [{ CENTSPAN_WEB_URL: "http://costs.example.com" }, /^CENTSPAN_WEB_URL: http:.* is not https/],
    [{ CENTSPAN_AUTH_SECRET: "short" }, /^CENTSPAN_AUTH_SECRET: has to have 32 characters/],
    [{ CENTSPAN_SIGN_IN: "yes" }, /^CENTSPAN_SIGN_IN: "yes" is neither on nor off/],
    [{ CENTSPAN_OIDC_ISSUER: "acme" }, /^CENTSPAN_OIDC_ISSUER: is no address/],
    [{ CENTSPAN_OIDC_ISSUER: "https://id.example.com" }, /^CENTSPAN_OIDC_CLIENT_ID: is not set/],
    [
      {
        CENTSPAN_OIDC_ISSUER: "https://id.example.com",
        CENTSPAN_OIDC_CLIENT_ID: "c",
        CENTSPAN_OIDC_CLIENT_SECRET: "s",
        CENTSPAN_OIDC_ROLE: "admin",
      },
      /^CENTSPAN_OIDC_ROLE: is none of owner, finance, engineer, viewer/,
    ],
  ])("not with %j", (wrong, message) => expect(read({ ...ACCOUNTS, ...wrong })).toMatch(message));

  it("by a provider: only who is invited, unless a role is set", () => {
    const oidc = {
      CENTSPAN_OIDC_ISSUER: "https://id.example.com",
      CENTSPAN_OIDC_CLIENT_ID: "c",
      CENTSPAN_OIDC_CLIENT_SECRET: "s",
    };
    expect(read({ ...ACCOUNTS, ...oidc, CENTSPAN_OIDC_NAME: "" })).toMatchObject({
      oidc: { issuer: "https://id.example.com", name: "OpenID Connect", role: null, workspace: "default" },
    });
    expect(read({ ...ACCOUNTS, ...oidc, CENTSPAN_OIDC_ROLE: "viewer" })).toMatchObject({ oidc: { role: "viewer" } });
  });
});
