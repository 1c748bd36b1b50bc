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

  it('S8: what is sent as apiKey is masked even when it is no key', () => {
    expect(maskKeys('/x?apiKey=guess-123&b=1')).toBe('/x?apiKey=***&b=1');
    expect(maskKeys('/x?APIKEY=guess')).toBe('/x?APIKEY=***');
  });

  it('S116: a line break in a logged value cannot start a line of its own', () => {
    const out = capture((logger) =>
      logger.info('name', { name: 'a\r\n{"level":60,"msg":"forged"}' }),
    );
    expect(out.trimEnd().split('\n')).toHaveLength(1);
  });
});
