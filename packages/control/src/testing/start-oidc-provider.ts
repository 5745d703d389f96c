/**
 * An OpenID provider for tests, over real HTTP: whoever comes is the person that the test says, without being asked. Stands in
 * for a network peer: discovery, authorization code with PKCE, a signed ID token with the nonce.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type OidcPerson = { sub: string; email: string; email_verified: boolean; name: string };

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function startOidcProvider(clientId: string): Promise<{
  issuer: string;
  /** Who comes next. */
  person: OidcPerson;
  close(): Promise<void>;
}> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const asked = new Map<string, { nonce: string; challenge: string }>();
  const provider = { issuer: "", person: { sub: "1", email: "a@b.example", email_verified: true, name: "A" } };

  function writeToken(nonce: string): string {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = { iss: provider.issuer, aud: clientId, iat: nowS, exp: nowS + 300, nonce, ...provider.person };
    const signed = `${encode({ alg: "RS256", kid: "k", typ: "JWT" })}.${encode(claims)}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  }

  const answers: Record<string, (url: URL, body: URLSearchParams) => { json: object } | { location: string }> = {
    "/.well-known/openid-configuration": () => ({
      json: {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
        id_token_signing_alg_values_supported: ["RS256"],
      },
    }),
    "/jwks": () => ({
      json: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" }] },
    }),
    "/authorize": ({ searchParams }) => {
      const code = randomBytes(12).toString("hex");
      const [nonce, challenge] = [searchParams.get("nonce") ?? "", searchParams.get("code_challenge") ?? ""];
      asked.set(code, { nonce, challenge });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return { location: back.href };
    },
    "/token": (_url, body) => {
      const grant = asked.get(body.get("code") ?? "");
      const proof = createHash("sha256")
        .update(body.get("code_verifier") ?? "")
        .digest("base64url");
      if (grant === undefined || grant.challenge !== proof) return { json: { error: "invalid_grant" } };
      return { json: { access_token: "a", token_type: "Bearer", expires_in: 60, id_token: writeToken(grant.nonce) } };
    },
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const url = new URL(request.url ?? "", provider.issuer);
    const answer = answers[url.pathname]?.(url, new URLSearchParams(Buffer.concat(chunks).toString()));
    if (answer === undefined) return response.writeHead(404).end();
    if ("location" in answer) return response.writeHead(302, { location: answer.location }).end();
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer.json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  provider.issuer = `http://127.0.0.1:${address.port}`;
  return Object.assign(provider, { close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
}
