import { handleApiRequest } from "#server/trace-api";

export const dynamic = "force-dynamic";
export const GET = handleApiRequest;
export const POST = handleApiRequest;
export const DELETE = handleApiRequest;
export const PUT = handleApiRequest;
export const PATCH = handleApiRequest;
