import { describe, expect, it } from '@jest/globals';
import { Logger, maskKeys } from '#libs/platform';

const KEY = `dds_live_${'a1B2'.repeat(9)}`;

function capture(write: (logger: Logger) => void): string {
  let out = '';
  write(new Logger('demo', { write: (line: string) => void (out += line) }));
  return out;
}

describe('logger', () => {
  it('S8: a key in a message, a field, a URL or an error is masked', () => {
    const out = capture((logger) => {
      logger.info(`key ${KEY}`);
      logger.warn('request', {
        url: `/v2.0/whois/live?apiKey=${KEY}&x=1`,
        nested: { list: [KEY] },
      });
      logger.error('failed', new Error(`bad ${KEY}`, { cause: new Error(KEY) }));
    });
    expect(out).not.toContain(KEY);
    expect(out.match(/dds_live_\*\*\*/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it('S8: the value of apiKey is masked even if it is not a key', () => {
    expect(maskKeys('/x?apiKey=guess-123&b=1')).toBe('/x?apiKey=***&b=1');
    expect(maskKeys('/x?APIKEY=guess')).toBe('/x?APIKEY=***');
  });

  it('S8: a key in a URL within a URL is masked', () => {
    expect(maskKeys('/go?to=%2Fx%3FapiKey%3Dguess-123')).toBe('/go?to=%2Fx%3FapiKey%3D***');
    expect(maskKeys(KEY.replaceAll('_', '%5F'))).toBe('dds_live_***');
  });

  it('S119: an error is logged with code, stack and causes, without the data it contains', () => {
    const members = { code: '23505', detail: 'Key (email)=(ann@example.org) already exists.' };
    const driverError = Object.assign(new Error('duplicate key'), members);
    const parameters = ['ann@example.org'];
    const failure = Object.assign(new Error('no row', { cause: driverError }), { parameters });
    const out = capture((logger) => {
      logger.error('sign-up failed', failure);
      logger.warn('sign-up failed', { request_id: 'r1', error: failure });
    });
    expect(out).not.toContain('ann@');
    expect(out.match(/"code":"23505","stack":"Error: duplicate key/g)).toHaveLength(2);
    expect(out).toContain('"request_id":"r1"');
  });

  it('of several errors that were thrown together, the first three are logged, even if they are nested', () => {
    const held = ['first', 'second', 'third', 'fourth'].map((name) => new Error(`${name} hold`));
    const nested = new AggregateError(held, '4 of 9 failed');
    const out = capture((logger) =>
      logger.warn('reap failed', new AggregateError([nested, 'no error'], '2 of 4 failed')),
    );
    for (const message of ['2 of 4 failed', '4 of 9 failed', 'third hold', 'no error']) {
      expect(out).toContain(message);
    }
    expect(out).not.toContain('fourth hold');
  });

  it('fields that JSON cannot represent, and endless fields, still give a line of limited length', () => {
    const circle: Record<string, unknown> = { amount: 10n };
    circle.self = circle;
    const looped = new Error('looped');
    looped.cause = looped;
    const out = capture((logger) => {
      logger.info('circle', { circle, large: 'x'.repeat(1_000_000) });
      logger.error('looped', looped);
    });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'circle',
      'looped',
    ]);
    expect(out.length).toBeLessThan(100_000);
  });

  it('S116: a line break in a logged value cannot start a new line', () => {
    const out = capture((logger) =>
      logger.info('name', { name: 'a\r\n{"level":60,"msg":"forged"}' }),
    );
    expect(out.trimEnd().split('\n')).toHaveLength(1);
  });
});
