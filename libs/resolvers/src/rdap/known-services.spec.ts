import { describe, expect, it } from '@jest/globals';
import { KnownServices } from './known-services.js';

describe('an empty 404 without a media type', () => {
  it('causes a second query for the help an hour after the first found none', async () => {
    let nowMs = 0;
    const services = new KnownServices(() => nowMs);
    const known = async (isHelp: boolean) =>
      services.isKnown(new URL('https://rdap.nic.example/domain/a.example'), async () => isHelp);
    expect(await known(false)).toBe(false);
    nowMs = 60 * 60_000 - 1;
    expect(await known(true)).toBe(false);
    nowMs += 1;
    expect(await known(true)).toBe(true);
    expect(await known(false)).toBe(true);
  });
});
