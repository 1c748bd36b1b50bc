import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Logger,
  PairSecrets,
  SERVICE_SECRET_FORM,
  type ServiceName,
  ServiceSecret,
  ServiceTokens,
} from '#libs/platform';
import { TestClock } from '#test/environment';

describe('service tokens', () => {
  it('a token identifies its caller to its audience only', () => {
    const tokens = new ServiceTokens('secret', new TestClock());
    const token = tokens.issue('gateway', 'account');
    expect(tokens.verify(token, 'account')).toBe('gateway');
    expect(tokens.verify(token, 'entitlement')).toBeUndefined();
  });

  it('a token expires after two minutes, and is replaced before it does', () => {
    const clock = new TestClock();
    const tokens = new ServiceTokens('secret', clock);
    const first = tokens.issue('gateway', 'account');
    expect(tokens.issue('gateway', 'account')).toBe(first);
    clock.advance(61_000);
    expect(tokens.issue('gateway', 'account')).not.toBe(first);
    clock.advance(60_000);
    expect(tokens.verify(first, 'account')).toBeUndefined();
  });

  it('a forged, truncated or foreign token does not identify anyone', () => {
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

  describe('with the secrets of one service', () => {
    const clock = new TestClock();
    const [OLD, NEW] = ['old', 'new'].map((name) => name.repeat(20));
    const tokensOf = (text: string, service: ServiceName) =>
      new ServiceTokens(new PairSecrets(text).textFor(service), clock);

    it('S86: a service signs only in its own name, for the services it calls, and no other service can sign in its name', () => {
      const [gateway, lookup] = [tokensOf(OLD, 'gateway'), tokensOf(OLD, 'lookup')];
      const whole = new ServiceTokens(OLD, clock);
      expect(lookup.verify(gateway.issue('gateway', 'lookup'), 'lookup')).toBe('gateway');
      expect(whole.verify(gateway.issue('gateway', 'account'), 'account')).toBe('gateway');
      expect(() => lookup.issue('gateway', 'account')).toThrow('SERVICE_SECRET has no secret');
      // A token of one pair is invalid for another pair, whoever has the secret.
      const token = gateway.issue('gateway', 'lookup');
      expect(whole.verify(token.replace('lookup', 'account'), 'account')).toBeUndefined();
      expect(whole.verify(token.replace('gateway', 'cli'), 'lookup')).toBeUndefined();
      const renamed = new PairSecrets(OLD).textFor('lookup').replaceAll('>lookup', '>account');
      const stolen = new ServiceTokens(renamed, clock).issue('gateway', 'account');
      expect(whole.verify(stolen, 'account')).toBeUndefined();
    });

    it('S113: during a rotation of its source, tokens under both secrets are accepted', () => {
      const both = tokensOf(`${NEW}\n${OLD}`, 'lookup');
      for (const source of [OLD, NEW]) {
        const token = tokensOf(source, 'gateway').issue('gateway', 'lookup');
        expect(both.verify(token, 'lookup')).toBe('gateway');
      }
      const signed = tokensOf(`${NEW}\n${OLD}`, 'gateway').issue('gateway', 'lookup');
      expect(tokensOf(NEW, 'lookup').verify(signed, 'lookup')).toBe('gateway');
      expect(tokensOf(OLD, 'lookup').verify(signed, 'lookup')).toBeUndefined();
    });

    it('the format of the setting accepts the lines of a service, and nothing invalid', () => {
      const text = new PairSecrets(`${NEW}\n${OLD}`).textFor('gateway');
      expect(text).toMatch(SERVICE_SECRET_FORM);
      expect(`${text}\nshort`).not.toMatch(SERVICE_SECRET_FORM);
    });
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

    it('S113: the secret is rotated in three steps, and no token of a step is refused before the next', () => {
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

    it('S113: a missing or unusable file changes nothing, and is logged once', () => {
      const secret = new ServiceSecret({ serviceSecret: OLD, serviceSecretFile }, logger);
      const look = () => {
        clock.advance(5_000);
        return secret.at(clock.now().getTime()).text;
      };
      const faults = [
        ['', 'it contains no valid secret'],
        [`${NEW}\nshort`, 'it contains no valid secret'],
        [`${NEW}\n`.repeat(3), 'it contains no valid secret'],
        ['x'.repeat(4_097), 'it is too large'],
        [undefined, 'ENOENT'],
      ] as const;
      for (const [text, fault] of faults) {
        writeFileSync(serviceSecretFile, OLD);
        look();
        log = '';
        if (text === undefined) rmSync(serviceSecretFile);
        else writeFileSync(serviceSecretFile, text);
        expect([look(), look()]).toEqual([OLD, OLD]);
        const logged = [...log.matchAll(/"fault":"([^"]+)"/g)].map((match) => match[1]);
        expect([text, logged]).toEqual([text, [fault]]);
      }
      writeFileSync(serviceSecretFile, NEW);
      expect(look()).toEqual(NEW);
    });
  });
});
