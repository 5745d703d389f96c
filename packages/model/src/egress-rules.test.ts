import { describe, expect, it } from "vitest";
import { allowsHost, egressRulesSchema, isExplicitHost, readHostPort } from "./index.ts";

describe("readHostPort", () => {
  it.each([
    ["a name", "Api.Example.com", { host: "api.example.com", port: null }],
    ["a name with its dot", "example.com.:443", { host: "example.com", port: 443 }],
    ["a name in another script", "bücher.example:80", { host: "xn--bcher-kva.example", port: 80 }],
    ["an address", "10.0.0.5:8080", { host: "10.0.0.5", port: 8080 }],
    ["an address as one number", "2130706433:80", { host: "127.0.0.1", port: 80 }],
    ["an address in octal and hexadecimal", "0177.0.0.0x1:80", { host: "127.0.0.1", port: 80 }],
    ["an IPv6 address", "[0:0::1]:443", { host: "::1", port: 443 }],
    ["no port that there is", "example.com:65536", null],
    ["no port at all", "example.com:", null],
    ["credentials", "user:secret@example.com:443", null],
    ["a path", "example.com/x", null],
    ["escapes", "127%2e0.0.1:80", null],
    ["an open bracket", "[::1", null],
    ["nothing", "", null],
    ["a name that is too long", `${"a.".repeat(130)}com:443`, null],
  ])("%s", (_why, text, expected) => expect(readHostPort(text)).toEqual(expected));
});

describe("allowsHost", () => {
  it.each([
    ["the name", ["example.com"], "example.com", 443, true],
    ["it, written otherwise", ["Example.COM."], "example.com", 80, true],
    ["but not below it", ["example.com"], "a.example.com", 443, false],
    ["nor what ends like it", ["example.com"], "badexample.com", 443, false],
    ["what is below, at any depth", ["*.example.com"], "a.b.example.com", 443, true],
    ["but not the name itself", ["*.example.com"], "example.com", 443, false],
    ["nor what ends like it, below or not", ["*.example.com"], "badexample.com", 443, false],
    ["no other port", ["example.com"], "example.com", 22, false],
    ["the port that is named", ["example.com:8443"], "example.com", 8443, true],
    ["and no usual one beside it", ["example.com:8443"], "example.com", 443, false],
    ["the port below a name", ["*.example.com:22"], "a.example.com", 22, true],
    ["an address", ["[::1]:8080"], "::1", 8080, true],
    ["any of several", ["a.example", "b.example"], "b.example", 443, true],
    ["nothing without rules", [], "example.com", 443, false],
  ])("%s", (_why, hosts, host, port, expected) => expect(allowsHost(hosts, { host, port })).toBe(expected));
});

it("tells machines from names that may point anywhere", () => {
  const hosts = ["127.0.0.1", "::1", "localhost", "a.localhost", "1.example.com", "example.com"];
  expect(hosts.map(isExplicitHost)).toEqual([true, true, true, false, false, false]);
});

describe("egress rules", () => {
  it.each([
    "*",
    "*.*.example.com",
    "a*.example.com",
    "*.1.2.3.4",
    "*.0.0.1",
    "http://example.com",
    "example.com/x",
    "",
  ])("can't be the host %j", (host) => expect(egressRulesSchema.safeParse({ hosts: [host] }).success).toBe(false));

  it("let no variable out that is not meant to leave", () => {
    const parse = (variable: string) =>
      egressRulesSchema.safeParse({
        hosts: ["a.example"],
        secrets: [{ placeholder: "A_KEY", variable, hosts: ["a.example"] }],
      }).success;
    const variables = ["EGRESS_A_KEY", "DATABASE_URL", "CENTSPAN_UPSTREAM_KEY", "XEGRESS_A", "EGRESS_", "EGRESS_A\nB"];
    expect(variables.map(parse)).toEqual([true, false, false, false, false, false]);
  });
});
