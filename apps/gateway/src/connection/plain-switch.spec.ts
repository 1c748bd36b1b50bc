import { type Channel, channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { RawClient, plainQuestion } from '../../../../test/gateway/raw-client.js';

describe('GATEWAY_PLAIN_CONNECTIONS', () => {
  // Node's HTTP server emits an event for each request that it parses; plain connections emit none.
  const announced: Channel = channel('http.server.request.start');
  let parsedByNode: string[];
  const note = (message: unknown) =>
    parsedByNode.push((message as { request: IncomingMessage }).request.url ?? '');

  beforeEach(() => {
    parsedByNode = [];
    announced.subscribe(note);
  });
  afterEach(() => {
    announced.unsubscribe(note);
  });

  it.each([
    ['true', 0],
    ['false', 2],
  ])(
    'if set to %s, two requests on one connection are answered, and Node’s server parses %d of them',
    async (setting, parsed) => {
      const under = await GatewayUnderTest.start({ GATEWAY_PLAIN_CONNECTIONS: setting });
      const client = await RawClient.open(under.url);
      try {
        const { apiKey } = under.around.account.addKey();
        for (const [index, name] of ['one.example', 'two.example'].entries()) {
          client.send(plainQuestion(apiKey, name));
          await waitFor('the answer', () => client.statuses.length > index);
        }
        expect(client.statuses).toEqual([200, 200]);
        const urls = parsedByNode.filter((url) => url.startsWith('/v2.0/whois/live?'));
        expect(urls).toHaveLength(parsed);
      } finally {
        client.socket.destroy();
        await under.stop();
      }
    },
  );
});
