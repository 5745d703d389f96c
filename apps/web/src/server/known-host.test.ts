import { expect, it } from "vitest";
import { isKnownHost, readHosts } from "./known-host.ts";

const listed = readHosts("costs.example.com, Team.Internal,");

it.each([
  ["127.0.0.1:3000", true],
  ["localhost:3000", true],
  ["LOCALHOST", true],
  ["app.localhost:80", true],
  ["[::1]:3000", true],
  ["192.168.1.20", true],
  ["costs.example.com:8443", true],
  ["team.internal", true],
  ["attacker.example", false],
  ["attacker.example:3000", false],
  ["localhost.attacker.example", false],
  ["127.0.0.1.attacker.example", false],
  ["xcosts.example.com", false],
  ["attacker.example/@localhost", false],
  ["localhost@attacker.example", false],
  ["attacker.example@localhost", false],
  ["localhost:port", false],
  ["", false],
  [null, false],
])("%s: %s", (host, known) => expect(isKnownHost(host, listed)).toBe(known));

it("lists nothing when nothing is set", () => {
  for (const setting of [undefined, "", " , "]) expect(isKnownHost("example.com", readHosts(setting))).toBe(false);
});
