import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorSettings } from './operator-settings.js';

const ALIVE = String(process.pid);

describe('settings of operator commands', () => {
  let folder: string;
  const gone = String(spawnSync(process.execPath, ['--version']).pid);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'operator-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const running = (owner: string, port: number) =>
    writeFileSync(
      join(folder, 'operator.env'),
      `OPERATOR_ENV_OF=${owner}\nACCOUNT_URL=http://127.0.0.1:${port}\nSERVICE_SECRET=of-the-file\n`,
    );
  const exported = (owner?: string) => ({
    OPERATOR_ENV_OF: owner,
    ACCOUNT_URL: 'http://127.0.0.1:1',
    LOG_LEVEL: 'warn',
  });

  it('an installation running in the data folder is found', () => {
    running(ALIVE, 2);
    expect(operatorSettings({ LOG_LEVEL: 'warn' }, folder)).toMatchObject({
      ACCOUNT_URL: 'http://127.0.0.1:2',
      LOG_LEVEL: 'warn',
    });
  });

  it('settings that a shell took from an ended installation are replaced with the running installation’s settings', () => {
    running(ALIVE, 2);
    const { ACCOUNT_URL, LOG_LEVEL } = operatorSettings(exported(gone), folder);
    expect([ACCOUNT_URL, LOG_LEVEL]).toEqual(['http://127.0.0.1:2', 'warn']);
  });

  it('a command fails with a message if no installation is running, even if a killed installation has left files', () => {
    expect(() => operatorSettings(exported(gone), folder)).toThrow(`ended (process ${gone})`);
    running(gone, 2);
    expect(() => operatorSettings(exported(gone), folder)).toThrow('unset OPERATOR_ENV_OF');
  });

  it('the settings of a shell, or of a running installation, are used completely and never mixed with a file', () => {
    running(ALIVE, 2);
    for (const given of [exported(), exported(ALIVE)]) {
      expect(operatorSettings(given, folder)).toEqual(given);
    }
  });

  it('the file of a killed process is ignored', () => {
    running(gone, 2);
    expect(operatorSettings({}, folder)).toEqual({});
  });
});
