import { handleMcpRequest } from "#server/trace-api";

export const dynamic = "force-dynamic";
export const GET = handleMcpRequest;
export const POST = handleMcpRequest;
export const DELETE = handleMcpRequest;
