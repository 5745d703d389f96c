export { PASSWORD_LENGTH } from "@centspan/control/sign-in";
