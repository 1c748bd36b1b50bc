import { expect, it } from '@jest/globals';
import { Logger, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
import { LookupConfig } from './lookup.config.js';
import { startLookup } from './start.js';

it.each([
  ['2026-11-22T10:00:00Z', false],
  ['2036-11-22T10:00:00Z', true],
])('S60: a start on %s logs a warning about old registry tables: %p', async (now, isLogged) => {
  const lines: string[] = [];
  const logger = new Logger('lookup', { write: (line: string) => void lines.push(line) });
  const settings = { SERVICE_SECRET: 'a secret between services, long enough', LOOKUP_PORT: '0' };
  const config = loadConfig(LookupConfig, settings);
  const service = await startLookup({ config, clock: new TestClock(now), logger });
  await service.stop();
  expect(lines.some((line) => line.includes('registry tables are old'))).toBe(isLogged);
});
