import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { IsBoolean, IsInt, IsString, Max, MinLength } from 'class-validator';
import { ConfigurationError, Setting, loadConfig, loadConfigs, settingsOf } from '#libs/platform';

class BaseConfig {
  @Setting({ env: 'DEMO_HOST', about: 'Address to listen on.' })
  @IsString()
  host = '127.0.0.1';
}

class DemoConfig extends BaseConfig {
  @Setting({ env: 'DEMO_PORT', about: 'Port to listen on.' })
  @IsInt()
  @Max(65_535)
  port = 0;

  @Setting({ env: 'DEMO_SECRET', about: 'Secret of the demo.', secret: true })
  @MinLength(16)
  secret: string;

  @Setting({ env: 'DEMO_TEST', about: 'Whether this is a test.' })
  @IsBoolean()
  test: boolean = false;

  @Setting({ env: 'DEMO_LIST', about: 'Some names.' })
  @IsString({ each: true })
  list: string[] = [];
}

const SECRET = 'sixteen-characters';

describe('configuration', () => {
  it('each kind of setting is read, and missing settings have their defaults', () => {
    const config = loadConfig(DemoConfig, {
      DEMO_PORT: '8080',
      DEMO_SECRET: SECRET,
      DEMO_TEST: 'true',
      DEMO_LIST: 'a, b,,c',
    });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      test: true,
      list: ['a', 'b', 'c'],
    });
  });

  it('blank text counts as no value, not as the number 0', () => {
    const config = loadConfig(DemoConfig, { DEMO_HOST: '  ', DEMO_SECRET: ` ${SECRET}\n` });
    expect([config.host, config.secret]).toEqual(['127.0.0.1', SECRET]);
  });

  it('an origin may be given as browsers show it, with a slash at its end', () => {
    const hostOf = (DEMO_HOST: string) =>
      loadConfig(DemoConfig, { DEMO_HOST, DEMO_SECRET: SECRET }).host;
    expect(hostOf('https://pay.example/')).toBe('https://pay.example');
    expect(hostOf('https://pay.example/api/')).toBe('https://pay.example/api/');
  });

  it('all faults are listed at once, each with its variable and purpose', () => {
    let faults: string[] = [];
    try {
      loadConfig(DemoConfig, { DEMO_PORT: 'eighty', DEMO_SECRET: 'short', DEMO_TEST: 'maybe' });
    } catch (error) {
      faults = (error as ConfigurationError).faults;
    }
    expect(faults).toHaveLength(3);
    expect(faults).toContain(
      'DEMO_PORT: must be a whole number, 65535 or less. Port to listen on.',
    );
    expect(faults.join('\n')).toMatch(/DEMO_SECRET: /);
    expect(faults.join('\n')).toMatch(/DEMO_TEST: /);
  });

  it('a fault of a setting that several services read is listed once', () => {
    class AnotherConfig {
      @Setting({ env: 'DEMO_PORT', about: 'Port to call.' })
      @IsInt()
      @Max(65_535)
      demoPort = 0;
    }
    const environment = { DEMO_SECRET: SECRET, DEMO_PORT: 'a port' };
    expect(() => loadConfigs([DemoConfig, AnotherConfig], environment)).toThrow(
      expect.objectContaining({ faults: [expect.stringContaining('Port to listen on.')] }),
    );
  });

  it('S113: a fault never shows the value of a setting', () => {
    expect(() => loadConfig(DemoConfig, { DEMO_SECRET: 'hunter2' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('S113: a secret can come from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    const file = join(folder, 'secret');
    writeFileSync(file, `${SECRET}\n`);
    expect(loadConfig(DemoConfig, { DEMO_SECRET_FILE: file }).secret).toBe(SECRET);
    rmSync(folder, { recursive: true });
  });

  it('S113: an unusable file of a secret is reported as one fault, which names the setting and shows no value', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const faultsOf = (environment: Record<string, string>) => {
      try {
        loadConfig(DemoConfig, environment);
        return [];
      } catch (error) {
        return (error as ConfigurationError).faults;
      }
    };
    const good = file('good', SECRET);
    expect(faultsOf({ DEMO_SECRET: SECRET, DEMO_SECRET_FILE: good })).toEqual([
      'DEMO_SECRET: is given twice, directly and by DEMO_SECRET_FILE',
    ]);
    expect(faultsOf({ DEMO_SECRET_FILE: join(folder, SECRET) })).toEqual([
      'DEMO_SECRET_FILE: cannot read the file it names (ENOENT)',
    ]);
    expect(faultsOf({ DEMO_SECRET_FILE: folder })).toEqual([
      'DEMO_SECRET_FILE: cannot read the file it names (EISDIR)',
    ]);
    expect(faultsOf({ DEMO_SECRET_FILE: file('empty', ' \n') })).toEqual([
      'DEMO_SECRET_FILE: the file it names is empty',
    ]);
    expect(faultsOf({ DEMO_SECRET_FILE: file('large', 'x'.repeat(1024 * 1024 + 1)) })).toEqual([
      'DEMO_SECRET_FILE: the file it names is larger than 1048576 bytes',
    ]);
    expect(faultsOf({ DEMO_SECRET: ' ', DEMO_SECRET_FILE: good })).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('settings are listed in order, the base class’s first', () => {
    expect(settingsOf(DemoConfig).map((setting) => setting.env)).toEqual([
      'DEMO_HOST',
      'DEMO_PORT',
      'DEMO_SECRET',
      'DEMO_TEST',
      'DEMO_LIST',
    ]);
  });
});
