import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '#libs/platform';
import { makeOwnCertificate } from '#test/environment';

const PAGES = 'docs/operations';
const has = (program: string) => spawnSync('which', [program]).status === 0;
const blocksOf = (page: string, language: string) => {
  const text = readFileSync(join(PAGES, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
};

describe('production on one machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'production-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  (has('nginx') ? it : it.skip)('nginx accepts the configuration of the page', async () => {
    const { certificateFile, keyFile } = makeOwnCertificate(folder, 'proxy');
    const [plain, secured] = await freePorts(2);
    const [[, page]] = blocksOf('reverse-proxy.md', 'nginx');
    const text = page
      .replaceAll(/(?<=ssl_certificate )[^;]+/g, certificateFile)
      .replaceAll(/(?<=ssl_certificate_key )[^;]+/g, keyFile)
      .replaceAll('listen 443', `listen 127.0.0.1:${secured}`)
      .replaceAll('listen 80', `listen 127.0.0.1:${plain}`);
    const file = join(folder, 'nginx.conf');
    const log = join(folder, 'error.log');
    const http = `http {\naccess_log off;\n${text}}\n`;
    writeFileSync(file, `pid ${join(folder, 'pid')};\nevents {}\n${http}`);
    const check = () => spawnSync('nginx', ['-t', '-e', log, '-c', file], { encoding: 'utf8' });
    expect(check().stderr).toContain('test is successful');
    // Without it, nginx rejects uploads above 1 MiB, which both hosts take.
    for (const door of page.split('server_name ').slice(2)) {
      expect(door).toContain('client_max_body_size 0;');
    }
    writeFileSync(file, `events {}\n${http.replace('proxy_buffering', 'proxy_bufering')}`);
    expect(check().status).not.toBe(0);
  });

  (has('systemd-analyze') ? it : it.skip)('systemd accepts every unit of the page', () => {
    const units = blocksOf('production.md', 'ini').flatMap(([, text]) => {
      const name = /^# \/etc\/systemd\/system\/(\S+)$/m.exec(text)?.[1];
      if (name === undefined) return [];
      // The installation is not in the folder that the page names.
      writeFileSync(join(folder, name), text.replaceAll('/opt/domain-data-service', process.cwd()));
      return [join(folder, name)];
    });
    expect(units).toHaveLength(3);
    const verify = (...paths: string[]) => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], {
        encoding: 'utf8',
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
      });
      const ours = stderr.split('\n').filter((line) => line.includes('domain-data'));
      return { status, ours };
    };
    expect(verify(...units)).toEqual({ status: 0, ours: [] });
    const [unit] = units;
    writeFileSync(unit, readFileSync(unit, 'utf8').replace('KillMode=', 'KillMod='));
    expect(verify(unit).ours.join()).toContain('KillMod');
  });
});
