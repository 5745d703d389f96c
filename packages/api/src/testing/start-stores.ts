export { startStores as default } from "@centspan/testing";
