export { AUTH_PATH, type OidcSettings, PASSWORD_LENGTH } from "./create-auth.ts";
export { type Cookies, openSignIn, type SignedIn, type SignIn } from "./open-sign-in.ts";
