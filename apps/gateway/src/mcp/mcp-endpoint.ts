import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/server';
import { type Operation, PUBLIC_LIMIT } from '#libs/contracts';
import type { RateLimiter } from '#libs/counters';
import { isInBlocks } from '#libs/domain-names';
import {
  InvalidRequest,
  JSON_BODY_LIMIT_BYTES,
  type Logger,
  Problem,
  monotonicMs,
  siteOf,
  toProblem,
} from '#libs/platform';
import { type ProblemBodies, SiteTurns, newRequestId } from '#libs/public-http';
import type { AuthCache } from '../auth-cache/auth-cache.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { FailedKeys } from '../auth-cache/failed-keys.js';
import { clientAddress } from '../context/client-address.js';
import type { RequestBodies } from '../context/request-body.js';
import { mcpRateKey, rateKey } from '../rate-limits/rate-key.js';
import { RateLimited } from '../rate-limits/rate-limits.errors.js';
import type { RefusalDelays } from '../rate-limits/refusal-delays.js';
import type { RefusedConnections } from '../rate-limits/refused-connections.js';
import { keyOfHeader } from '../request/02-find-key.js';
import { knowCaller } from '../request/03-know-caller.js';
import { countAddress } from '../request/05-limit-rate.js';
import type { RequestPath } from '../request/request-path.js';
import type { ApiPaths } from '../routes/api-paths.js';
import { mcpInstructions } from './mcp-instructions.js';
import { MCP_PATH, type McpTool, toolsOf } from './mcp-tools.js';
import { type ToolAnswer, type ToolClient, callTool } from './tool-call.js';

export interface McpParts {
  paths: ApiPaths;
  requestPath: RequestPath;
  requestBodies: RequestBodies;
  authCache: AuthCache;
  failedKeys: FailedKeys;
  rateLimiter: RateLimiter;
  refusalDelays: RefusalDelays;
  refusedConnections: RefusedConnections;
  bodies: ProblemBodies;
  trustedProxies: BlockList;
  logger: Logger;
  /** The API's origin. */
  origin: string;
}

export interface McpAnswer {
  status: number;
  type?: string;
  text: string;
}

/** One message of a client, and the HTTP request that brought it. */
interface Client extends ToolClient {
  response: ServerResponse;
  /** The owner of the one valid key, unless it must not be used from this address. */
  caller?: KeyEntry;
  /** Whether the message counts towards a limit already. */
  isCounted?: boolean;
}

/** The method whose answer would be an endless stream. The tools never change while the process runs. */
const ENDLESS = 'subscriptions/listen';
const METHOD_NOT_FOUND = -32_601;

/**
 * The Model Context Protocol (https://modelcontextprotocol.io) at `/mcp`: every operation is a tool, so that agents can
 * use the API. Serves revision 2026-07-28 and clients of 2025, without sessions. A tool call runs through the numbered
 * steps like any other request. All other messages are free; they count towards the class `account` of a valid key, and
 * otherwise towards the limit of the client's address.
 */
export class McpEndpoint {
  private readonly tools: ReadonlyMap<string, McpTool>;
  private library?: Promise<Library>;
  /** A message takes milliseconds, so many of one account or site that arrive together must not delay others (S104). */
  private readonly turns = new SiteTurns();

  constructor(private readonly parts: McpParts) {
    this.tools = toolsOf(parts.paths.operations);
  }

  /** Answers one JSON-RPC message. @throws Problem, with its status, if it is not a message or exceeds the limit. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<McpAnswer> {
    const { origin } = this.parts;
    const client = await this.clientOf(request, response);
    await this.admit(client);
    const message = await this.read(client);
    if (message.method !== 'tools/call') await this.count(client);
    if (message.method === ENDLESS) return methodNotFound(message.id);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const asked = new Request(origin + MCP_PATH, {
      method: 'POST',
      headers: headersOf(request),
      signal: gone.signal,
    });
    const answer = await this.pass(asked, message, client);
    const text = await answer.text();
    // The library rejects malformed calls, which then reach no operation.
    await this.count(client);
    const type = answer.headers.get('content-type') ?? undefined;
    return { status: answer.status, type, text };
  }

  /**
   * Counts a message before its body is read, so that only a limited number of bodies is parsed: a stranger's towards
   * the limit of the address, and one with a key towards the sum of the account's limits, which no permitted use reaches.
   * @throws RateLimited.
   */
  private async admit(client: Client): Promise<void> {
    const { caller } = client;
    if (!caller) return this.count(client);
    const limit = Object.values(caller.account.limits).reduce((sum, one) => sum + one, 0);
    const key = mcpRateKey(caller.isTest);
    const rate = await this.parts.rateLimiter.take(caller.account, key, limit);
    if (!rate.allowed) await this.refuse(client, new RateLimited('mcp', limit, rate.resetSeconds));
  }

  /** @throws Problem if the body is not a message. */
  private async read(client: Client): Promise<Message> {
    const { request, response } = client;
    const sender = this.senderOf(client);
    const turn = async () =>
      new Promise<void>((resolve) => this.turns.begin(sender, response, resolve));
    const { requestBodies } = this.parts;
    const json = await requestBodies.readJson(request, sender, JSON_BODY_LIMIT_BYTES, turn);
    if (isMessage(json)) return json;
    await this.count(client);
    throw json instanceof Problem ? json : notOneMessage;
  }

  private senderOf({ request, caller }: Client): string {
    return caller?.account.id ?? siteOf(clientAddress(request, this.parts.trustedProxies));
  }

  /** Passes a message to the library. Each message has its own handler, so that its failure can be logged. */
  private async pass(asked: Request, message: Message, client: Client): Promise<Response> {
    const { createMcpHandler, Server: LibraryServer } = await this.load();
    let failure: Error | undefined;
    const onerror = (error: Error) => {
      failure = error;
    };
    const server = () => this.serverOf(LibraryServer, client);
    const handler = createMcpHandler(server, { keepAliveMs: 0, onerror });
    const answer = await handler.fetch(asked, { parsedBody: message });
    if (answer.status >= 500) {
      const fields = { err: failure, status: answer.status };
      this.parts.logger.sparsely('error', 'mcp library', 'a message of MCP failed', fields);
    }
    return answer;
  }

  /** Loads the library when the first message arrives, because it takes 28 MB and 150 ms. */
  private async load(): Promise<Library> {
    this.library ??= import('@modelcontextprotocol/server').catch((error: unknown) => {
      this.library = undefined;
      throw error;
    });
    return this.library;
  }

  private serverOf(LibraryServer: typeof Server, client: Client): Server {
    const server = new LibraryServer(
      { name: 'domain-data-service', title: 'Domain Data Service', version: '2.0' },
      { capabilities: { tools: {} }, instructions: mcpInstructions(this.parts.origin) },
    );
    const tools = [...this.tools.values()].map(({ description }) => description);
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      const { status, text, remarks = [] } = await this.call(client, name, given);
      const content = [text, ...remarks].map((one) => ({ type: 'text' as const, text: one }));
      return { content, isError: status >= 400 };
    });
    return server;
  }

  private async call(
    client: Client,
    name: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<ToolAnswer> {
    try {
      return await this.run(client, this.operationOf(name), given);
    } catch (error) {
      const problem = await this.counted(client, toProblem(error));
      if (problem.status >= 500) this.parts.logger.error('a tool call failed', { err: error });
      const place = { requestId: newRequestId(), path: MCP_PATH };
      const text = Buffer.from(this.parts.bodies.render(problem, place), 'latin1').toString();
      const { status, retryAfterSeconds } = problem;
      const remarks = retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`];
      return { status, text, remarks };
    }
  }

  private async run(
    client: Client,
    operation: Operation,
    given: Readonly<Record<string, unknown>>,
  ): Promise<ToolAnswer> {
    // A message whose client disconnects during the call is not counted a second time.
    const wasCounted = client.isCounted;
    client.isCounted = true;
    const answer = await callTool(this.parts, client, operation, given).catch((error: unknown) => {
      client.isCounted = wasCounted;
      throw error;
    });
    // Over HTTP, a request that its key may not make is rejected before it is counted, because that takes little time.
    client.isCounted = wasCounted || answer.isCounted;
    await this.count(client);
    if (answer.isLast) client.response.shouldKeepAlive = false;
    return answer;
  }

  private operationOf(name: string): Operation {
    const tool = this.tools.get(name);
    if (tool === undefined) {
      throw new InvalidRequest([{ field: 'name', message: 'must be the name of a listed tool' }]);
    }
    return tool.operation;
  }

  private async clientOf(request: IncomingMessage, response: ServerResponse): Promise<Client> {
    const { authCache, failedKeys, trustedProxies } = this.parts;
    const { url, rawHeaders } = request;
    const keys = new URLSearchParams(url!.split('?', 2)[1]).getAll('apiKey').slice(0, 2);
    const all = new Set(keys);
    for (let i = 0; i < rawHeaders.length; i += 2) {
      all.add(keyOfHeader(rawHeaders[i], rawHeaders[i + 1]) ?? '');
    }
    all.delete('');
    const [apiKey] = all;
    const stranger = { request, response, keys };
    if (all.size !== 1) return stranger;
    const asked = { apiKey, startedMs: monotonicMs(), request, requestId: newRequestId() };
    const caller = await knowCaller(asked, authCache, failedKeys, trustedProxies);
    if (caller instanceof Problem) return stranger;
    const { allowList } = caller;
    const isElsewhere = allowList && !isInBlocks(clientAddress(request, trustedProxies), allowList);
    return isElsewhere ? stranger : { ...stranger, caller };
  }

  /** Counts a message that is not a request to an operation, if it is not counted yet. @throws RateLimited. */
  private async count(client: Client): Promise<void> {
    if (client.isCounted) return;
    client.isCounted = true;
    const { request, caller } = client;
    const { rateLimiter, trustedProxies } = this.parts;
    const limit = caller ? caller.account.limits.account : PUBLIC_LIMIT;
    const rate = await (caller
      ? rateLimiter.take(caller.account, rateKey('account', caller.isTest), limit)
      : countAddress({ request }, trustedProxies, rateLimiter));
    // A public operation does not count its address again.
    if (!caller) client.rate = rate;
    if (rate.allowed) return;
    const rateClass = caller ? 'account' : 'public';
    await this.refuse(client, new RateLimited(rateClass, limit, rate.resetSeconds));
  }

  /** Delays a 429 answer and may close its connection, like those of operations (S126). @throws the refusal. */
  private async refuse(client: Client, refusal: RateLimited): Promise<never> {
    const { refusalDelays, refusedConnections } = this.parts;
    const { request, response } = client;
    if (refusedConnections.isLast(request.socket)) response.shouldKeepAlive = false;
    const delayMs = refusalDelays.delayOf(this.senderOf(client), monotonicMs());
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    throw refusal;
  }

  /**
   * Counts a tool call with unusable arguments, because no other limit counts such calls. @returns the problem to
   * report to the client.
   */
  private async counted(client: Client, problem: Problem): Promise<Problem> {
    return this.count(client).then(
      () => problem,
      (refusal: unknown) => toProblem(refusal),
    );
  }
}

type Library = typeof import('@modelcontextprotocol/server');

interface Message {
  method?: unknown;
  id?: unknown;
}

const isMessage = (json: unknown): json is Message =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Problem);

const notOneMessage = new InvalidRequest([
  { field: 'body', message: 'must be one JSON-RPC message; batches are not supported' },
]);

function methodNotFound(id: unknown): McpAnswer {
  const error = { code: METHOD_NOT_FOUND, message: 'Method not found' };
  return {
    status: 200,
    type: 'application/json',
    text: JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error }),
  };
}

/** Returns the headers that the protocol defines. */
function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const isOurs = name === 'content-type' || name === 'accept' || name.startsWith('mcp-');
    return isOurs && typeof value === 'string' ? [[name, value]] : [];
  });
}
