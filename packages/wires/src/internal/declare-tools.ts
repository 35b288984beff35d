interface ToolFields {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: unknown;
}

/**
 * A request with these tools in place of its own. OpenAI's APIs refuse an empty list, and what is said about a choice among none: where
 * nothing is left to declare, the keys go. A request that declared no tools keeps what it says besides.
 */
export function declareTools<Request extends ToolFields>(request: Request, tools: readonly unknown[]): Request {
  if (tools.length > 0) return { ...request, tools };
  const { tools: given, ...rest } = request;
  if (!Array.isArray(given) || given.length === 0) return rest as Request;
  const { tool_choice: _, parallel_tool_calls: __, ...bare } = rest;
  return bare as Request;
}
