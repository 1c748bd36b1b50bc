import {
  type Operation,
  callSchema,
  groupOf,
  kindOf,
  listenerOf,
  newestVersion,
  priceSentence,
} from '#libs/contracts';

/** The path of the protocol at the API's origin. */
export const MCP_PATH = '/mcp';

/** A tool of MCP: an operation of the API under a name that every client accepts. */
export interface McpTool {
  operation: Operation;
  /** The tool as `tools/list` describes it. */
  description: {
    name: string;
    title: string;
    description: string;
    inputSchema: { type: 'object'; [member: string]: unknown };
    annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
  };
}

/** Webhooks are for programs that receive events, and keys are for their owners. Both kinds of answers contain secrets. */
const LEFT_OUT: ReadonlySet<string> = new Set(['webhooks', 'api-keys']);

/** Returns the tools by name: one for each operation of version 2 whose answer is JSON. */
export function toolsOf(operations: readonly Operation[]): ReadonlyMap<string, McpTool> {
  return new Map(operations.filter(isTool).map((row) => [nameOf(row), toolOf(row)]));
}

const isTool = (row: Operation): boolean =>
  listenerOf(row) === 'api' &&
  kindOf(row) === 'answer' &&
  newestVersion(row) === 2 &&
  !LEFT_OUT.has(groupOf(row));

/** Some clients allow no dots in the names of tools. */
const nameOf = ({ name }: Operation): string => name.replaceAll(/[^a-zA-Z0-9]/g, '_');

function toolOf(operation: Operation): McpTool {
  const { summary, description, method, access, takesIdempotencyKey, body } = operation;
  const isRead = access.kind !== 'key' || !access.isForLiveKeys || method === 'GET';
  return {
    operation,
    description: {
      name: nameOf(operation),
      title: summary,
      description: [summary, description, priceSentence(operation)].filter(Boolean).join('\n\n'),
      inputSchema: { ...callSchema(operation), type: 'object' },
      annotations: {
        readOnlyHint: isRead,
        // False means that a call only adds something: a job or a monitor, which the body describes.
        destructiveHint: !isRead && (method !== 'POST' || body === undefined),
        idempotentHint: isRead || method === 'DELETE' || takesIdempotencyKey === true,
      },
    },
  };
}
