import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { armedBy } from './crash-point.js';

const MODULE = new URL('./crash-point.js', import.meta.url).href;

describe('crash points', () => {
  it('the process is killed at the given pass of the given point, but at no other pass or point', () => {
    let kills = 0;
    const crashPoint = armedBy('relay.after-send:3', () => kills++);
    const passes = [0, 1, 2, 3, 4].map(() => {
      crashPoint('relay.after-read');
      crashPoint('relay.after-send');
      return kills;
    });
    expect(passes).toEqual([0, 0, 1, 1, 1]);
  });

  it('nothing after the point runs', () => {
    const code = `const { crashPoint } = await import('${MODULE}');
      console.log('before');
      crashPoint('relay.after-send');
      console.log('after');`;
    const run = (crashAt: string) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', code], {
        env: { ...process.env, CRASH_AT: crashAt },
        encoding: 'utf8',
      });
    expect(run('relay.after-send:1')).toMatchObject({ signal: 'SIGKILL', stdout: 'before\n' });
    expect(run('')).toMatchObject({ status: 0, stdout: 'before\nafter\n' });
  });

  it('an unknown point, or a point without a positive number, is rejected', () => {
    for (const text of ['relay.after:1', 'relay.after-send', 'relay.after-send:0', 'toString:1']) {
      expect(() => armedBy(text)).toThrow('CRASH_AT must be <point>:<n>');
    }
  });
});
