import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { IsString, MinLength } from 'class-validator';
import { Logger, type Loop, Setting, followFiles, loadConfig } from '#libs/platform';
import { waitFor } from '#test/environment';

class DemoConfig {
  @Setting({ env: 'PASSWORD', about: 'A password.', secret: true, isFollowed: true })
  @IsString()
  @MinLength(8)
  password: string;

  @Setting({ env: 'SECRETS', about: 'Several.', secret: true, isFollowed: true })
  @IsString({ each: true })
  secrets: string[] = [];

  @Setting({ env: 'PEPPER', about: 'Must never change.', secret: true })
  @IsString()
  pepper: string;
}

const EVERY_MS = 20;

describe('settings that follow their files', () => {
  let folder: string;
  let environment: Record<string, string>;
  let config: DemoConfig;
  let log = '';
  let following: Loop;

  const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'follow-files-'));
    const names = ['PASSWORD', 'SECRETS', 'PEPPER'];
    environment = Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)]));
    write('PASSWORD', 'the first one');
    write('SECRETS', 'one');
    write('PEPPER', 'a pepper');
    config = loadConfig(DemoConfig, environment);
    log = '';
    const logger = new Logger('test', { write: (line: string) => void (log += line) });
    following = followFiles([config], { logger, environment, everyMs: EVERY_MS });
  });
  afterEach(async () => {
    await following.stop();
    rmSync(folder, { recursive: true });
  });

  it('S113: the content of a file applies without a restart, and no value is logged', async () => {
    write('PEPPER', 'another pepper');
    write('SECRETS', 'two,one');
    write('PASSWORD', 'the second one');
    await waitFor(
      'both to be taken',
      () => config.password === 'the second one' && config.secrets.length > 1,
    );
    expect(config).toEqual({
      password: 'the second one',
      secrets: ['two', 'one'],
      pepper: 'a pepper',
    });
    for (const name of ['PASSWORD', 'SECRETS']) expect(log).toContain(`${name}_FILE has changed`);
    expect(log).not.toMatch(/PEPPER|the second one|\btwo\b/);
  });

  it('S113: a missing or invalid file changes nothing, and a log line names the fault', async () => {
    write('PASSWORD', 'short');
    await waitFor('the fault', () => log.includes('was rejected'));
    expect(log).toContain('PASSWORD: must be longer than or equal to 8 characters');
    expect(log).not.toContain('short"');
    expect(config.password).toBe('the first one');
    log = '';
    rmSync(join(folder, 'PASSWORD'));
    await waitFor('the next fault', () => log.includes('cannot read'));
    expect(config.password).toBe('the first one');
    write('PASSWORD', 'the third one');
    await waitFor('the next value', () => config.password === 'the third one');
  });
});
