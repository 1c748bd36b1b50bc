import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { request } from 'undici';
import { type Answer, GatewayUnderTest } from './gateway-under-test.js';

/** The revision that a client speaks: that of 2025, or a later one. */
export type Era = 'legacy' | { pin: string };

export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
export const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** Clients of a gateway's MCP, with one address at a time, because messages count towards the limit of their address. */
export class McpClients {
  private readonly clients: Client[] = [];
  private address = 0;

  private constructor(readonly under: GatewayUnderTest) {}

  static async start(): Promise<McpClients> {
    return new McpClients(await GatewayUnderTest.start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1' }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.under.stop();
  }

  /** From now on, clients have another address. */
  move(): void {
    this.address++;
  }

  from() {
    return { 'x-forwarded-for': `192.0.2.${this.address}` };
  }

  async connect(headers: Record<string, string>, mode: Era = 'legacy'): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
    this.clients.push(client);
    const requestInit = { headers: { ...this.from(), ...headers } };
    const url = new URL('/mcp', this.under.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  }

  async post(
    body: string,
    headers: Record<string, string> = {},
    query = '',
    url = this.under.url,
  ): Promise<Answer> {
    const answered = await request(`${url}/mcp${query}`, {
      method: 'POST',
      body,
      headers: { ...JSON_HEADERS, ...this.from(), ...headers },
    });
    const text = await answered.body.text();
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: answered.statusCode, headers: answered.headers, text, json };
  }
}

/** Calls a tool. @returns the operation's answer, or its rejection. */
export async function call(client: Client, name: string, given: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: given });
  const [{ text }] = result.content as { text: string }[];
  return { isError: result.isError === true, json: JSON.parse(text) as Record<string, unknown> };
}
