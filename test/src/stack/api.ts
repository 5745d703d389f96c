/** The Trace API of the stack that all end-to-end tests share. */
import { inject } from "vitest";
import { type Answer, type ApiReader, createApiReader, type Row } from "./api-reader.ts";

export type { Row } from "./api-reader.ts";

const shared = (key = inject("connection").apiKey): ApiReader => createApiReader(inject("connection").webUrl, key);

export const getApi = <Body = unknown>(path: string, key?: string): Promise<Answer<Body>> =>
  shared(key).get<Body>(path);
export const getOk = <T>(path: string): Promise<T> => shared().getOk<T>(path);
export const listAll = <T = Row>(path: string, pageSize?: number): Promise<T[]> => shared().listAll<T>(path, pageSize);
