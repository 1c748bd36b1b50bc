import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counters, openCounters } from '#libs/counters';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#libs/testing';
import { CounterId } from '../counter-id.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const folder = mkdtempSync(join(tmpdir(), 'dds-repeats-'));
let server: ValkeyServer;
const opened: Counters[] = [];

async function open(secret: string): Promise<Counters> {
  const counters = await openCounters({ url: server.url, secret, gatewayId: newId(), logger });
  opened.push(counters);
  return counters;
}

here('ValkeyRepeats', () => {
  beforeAll(async () => {
    server = await ValkeyServer.start({ folder, password: 'a word/with: marks@' });
  });
  afterAll(async () => {
    for (const counters of opened) await counters.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a question that one gateway charged for is a repeat on the others, and only that', async () => {
    const [one, other] = [await open('secret'), await open('secret')];
    const id = new CounterId(newId());
    for (let i = 0; i < 100; i++) one.repeats.remember(id, `whois name${i}.example`);
    await waitFor('the news', () => other.repeats.isRepeat(id, 'whois name99.example'));
    for (let i = 0; i < 100; i++) {
      expect(other.repeats.isRepeat(id, `whois name${i}.example`)).toBe(true);
      expect(other.repeats.isRepeat(id, `whois other${i}.example`)).toBe(false);
      expect(other.repeats.isRepeat(new CounterId(newId()), `whois name${i}.example`)).toBe(false);
    }
  });

  it('without the server each gateway knows its own, and they tell each other again when it is back', async () => {
    const [one, other] = [await open('secret'), await open('secret')];
    const id = new CounterId(newId());
    await server.stop();
    one.repeats.remember(id, 'whois alone.example');
    expect(one.repeats.isRepeat(id, 'whois alone.example')).toBe(true);
    await server.restart();
    let number = 0;
    await waitFor('news to arrive again', () => {
      one.repeats.remember(id, `whois name${number++}.example`);
      return other.repeats.isRepeat(id, `whois name${Math.max(0, number - 20)}.example`);
    });
    expect(other.repeats.isRepeat(id, 'whois alone.example')).toBe(false);
  });
});
