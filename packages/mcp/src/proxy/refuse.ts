/** The answer to a request that is not served at all. */
export function refuse(status: number, message: string, code: number = -32_000): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
