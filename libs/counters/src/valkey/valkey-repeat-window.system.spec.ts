import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counters, openCounters } from '#libs/counters';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { CounterId } from '../counter-id.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const folder = mkdtempSync(join(tmpdir(), 'dds-repeats-'));
let server: ValkeyServer;
const opened: Counters[] = [];

/** Opens two gateways that receive each other's messages; earlier messages are lost. */
async function openTwo(): Promise<[Counters, Counters]> {
  const open = () =>
    openCounters({ url: server.url, secret: 's', gatewayId: newId(), logger, timeoutMs: 10_000 });
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
    server = await ValkeyServer.start({ folder, password: 'a word/with: marks@' });
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
});
