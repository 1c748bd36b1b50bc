import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Valkey } from 'iovalkey';
import { type Counters, openCounters } from '#libs/counters';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { CounterId } from '../counter-id.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const folder = mkdtempSync(join(tmpdir(), 'dds-repeats-'));
const PASSWORD = 'a word/with: marks@';
let server: ValkeyServer;
const opened: Counters[] = [];

/** Opens two gateways that receive each other's messages; earlier messages are lost. */
async function openTwo(url: string | (() => string) = server.url): Promise<[Counters, Counters]> {
  const open = () =>
    openCounters({ url, secret: 's', gatewayId: newId(), logger, timeoutMs: 10_000 });
  const [one, other] = await Promise.all([open(), open()]);
  opened.push(one, other);
  await untilHeard(one, other);
  return [one, other];
}

async function untilHeard(one: Counters, other: Counters): Promise<void> {
  const id = new CounterId(newId());
  const told: string[] = [];
  await waitFor('news to arrive', () => {
    told.push(`whois news${told.length}.example`);
    one.repeatWindow.remember(id, told.at(-1)!);
    return told.some((question) => other.repeatWindow.isRepeat(id, question));
  });
}

here('ValkeyRepeatWindow', () => {
  beforeAll(async () => {
    server = await ValkeyServer.start({ folder, password: PASSWORD });
  });
  afterAll(async () => {
    for (const counters of opened) await counters.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a request that one gateway charged is a repeat on the others, and no other request is', async () => {
    const [one, other] = await openTwo();
    const id = new CounterId(newId());
    for (let i = 0; i < 100; i++) one.repeatWindow.remember(id, `whois name${i}.example`);
    await waitFor('the news', () => other.repeatWindow.isRepeat(id, 'whois name99.example'));
    for (let i = 0; i < 100; i++) {
      expect(other.repeatWindow.isRepeat(id, `whois name${i}.example`)).toBe(true);
      expect(other.repeatWindow.isRepeat(id, `whois other${i}.example`)).toBe(false);
      expect(other.repeatWindow.isRepeat(new CounterId(newId()), `whois name${i}.example`)).toBe(
        false,
      );
    }
  });

  it('without the server, each gateway remembers its own repeats; once it is back, the gateways share new repeats', async () => {
    const [one, other] = await openTwo();
    const id = new CounterId(newId());
    await server.stop();
    one.repeatWindow.remember(id, 'whois alone.example');
    expect(one.repeatWindow.isRepeat(id, 'whois alone.example')).toBe(true);
    await server.restart();
    await untilHeard(one, other);
    expect(other.repeatWindow.isRepeat(id, 'whois alone.example')).toBe(false);
  });

  describe('that loses its connections', () => {
    let operator: Valkey;

    beforeAll(() => {
      operator = new Valkey(server.url);
    });
    afterAll(() => operator.disconnect());

    /** Closes the connections of a type, except the operator's own. */
    const kill = async (type: string) =>
      operator.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');

    it('S113: gateways still tell each other about new repeats after the old password has been removed', async () => {
      let url = server.url;
      const [one, other] = await openTwo(() => url);
      const setUser = async (rule: string) => operator.call('ACL', 'SETUSER', 'default', rule);
      try {
        await setUser('>the-next-one');
        url = server.url.replace(/:[^:/@]*@/, ':the-next-one@');
        await setUser(`<${PASSWORD}`);
        for (const type of ['normal', 'pubsub']) await kill(type);
        await untilHeard(one, other);
      } finally {
        await setUser(`>${PASSWORD}`);
      }
    });

    it('a gateway that has lost its connection also subscribes on a new one', async () => {
      await openTwo();
      const subscribers = async () => {
        const list = String(await operator.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
        return [...list.matchAll(/^id=(\d+) /gm)].map(([, id]) => id);
      };
      const before = await subscribers();
      await kill('normal');
      await waitFor('new subscriptions', async () => {
        const now = await subscribers();
        return now.length >= before.length && !now.some((id) => before.includes(id));
      });
    });
  });
});
