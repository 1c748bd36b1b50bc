import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, ServiceSecret, ServiceTokens } from '#libs/platform';
import { TestClock } from '#test/environment';

describe('service tokens', () => {
  it('a token names its caller to its audience alone', () => {
    const tokens = new ServiceTokens('secret', new TestClock());
    const token = tokens.issue('gateway', 'account');
    expect(tokens.verify(token, 'account')).toBe('gateway');
    expect(tokens.verify(token, 'entitlement')).toBeUndefined();
  });

  it('a token dies after two minutes and is renewed before', () => {
    const clock = new TestClock();
    const tokens = new ServiceTokens('secret', clock);
    const first = tokens.issue('gateway', 'account');
    expect(tokens.issue('gateway', 'account')).toBe(first);
    clock.advance(61_000);
    expect(tokens.issue('gateway', 'account')).not.toBe(first);
    clock.advance(60_000);
    expect(tokens.verify(first, 'account')).toBeUndefined();
  });

  it('a forged, cut or foreign token is nobody', () => {
    const clock = new TestClock();
    const token = new ServiceTokens('secret', clock).issue('gateway', 'account');
    const other = new ServiceTokens('another secret', clock);
    expect(other.verify(token, 'account')).toBeUndefined();
    const tokens = new ServiceTokens('secret', clock);
    for (const forged of [
      '',
      '...',
      token.slice(0, -1),
      token.replace('gateway', 'cli'),
      `${token}x`,
    ]) {
      expect(tokens.verify(forged, 'account')).toBeUndefined();
    }
  });

  describe('with a secret from a file', () => {
    const [OLD, NEW] = ['old '.repeat(8).trim(), 'new '.repeat(8).trim()].map((t) => `${t}secret`);
    const clock = new TestClock();
    const logger = new Logger('test', { write: (line: string) => void (log += line) });
    let log = '';
    let folder: string;
    let serviceSecretFile: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'service-secret-'));
      serviceSecretFile = join(folder, 'service_secret');
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('S113: it is rotated in three steps, and no token of any step is refused before the next', () => {
      const write = (...lines: string[]) => {
        writeFileSync(serviceSecretFile, `${lines.join('\n')}\n`);
        clock.advance(5_000);
      };
      write(OLD);
      const source = { serviceSecret: OLD, serviceSecretFile };
      const caller = new ServiceTokens(new ServiceSecret(source, logger), clock);
      const audience = new ServiceTokens(new ServiceSecret(source, logger), clock);
      const isAccepted = (token: string) => audience.verify(token, 'account') === 'gateway';
      const first = caller.issue('gateway', 'account');

      write(OLD, NEW);
      expect(caller.issue('gateway', 'account')).toBe(first);
      write(NEW, OLD);
      const second = caller.issue('gateway', 'account');
      expect(second).not.toBe(first);
      expect([first, second].map(isAccepted)).toEqual([true, true]);
      write(NEW);
      expect(caller.issue('gateway', 'account')).toBe(second);
      expect([first, second].map(isAccepted)).toEqual([false, true]);
      expect(log).toContain('SERVICE_SECRET_FILE has changed');
      expect(log).not.toMatch(/old |new /);
    });

    it('S113: a file that is gone or holds no secret changes nothing, and is logged once', () => {
      const secret = new ServiceSecret({ serviceSecret: OLD, serviceSecretFile }, logger);
      const look = () => {
        clock.advance(5_000);
        return secret.at(clock.now().getTime());
      };
      const faults = [
        ['', 'it holds no secret'],
        [`${NEW}\nshort`, 'it holds no secret'],
        [`${NEW}\n`.repeat(3), 'it holds no secret'],
        ['x'.repeat(4_097), 'it is too large'],
        [undefined, 'ENOENT'],
      ] as const;
      for (const [text, fault] of faults) {
        writeFileSync(serviceSecretFile, OLD);
        look();
        log = '';
        if (text === undefined) rmSync(serviceSecretFile);
        else writeFileSync(serviceSecretFile, text);
        expect([look(), look()]).toEqual([[OLD], [OLD]]);
        const logged = [...log.matchAll(/"fault":"([^"]+)"/g)].map((match) => match[1]);
        expect([text, logged]).toEqual([text, [fault]]);
      }
      writeFileSync(serviceSecretFile, NEW);
      expect(look()).toEqual([NEW]);
    });
  });
});
