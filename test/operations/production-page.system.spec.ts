import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JOB_WHOIS } from '#libs/contracts';
import { SECOND_MS, freePorts } from '#libs/platform';
import { makeOwnCertificate, waitFor } from '#test/environment';

const PAGES = 'docs/operations';
const has = (program: string) => spawnSync('which', [program]).status === 0;
const blocksOf = (page: string, language: string) => {
  const text = readFileSync(join(PAGES, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
};

describe('production on one machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'production-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  describe('nginx', () => {
    const withNginx = has('nginx') ? it : it.skip;
    const file = join(folder, 'nginx.conf');
    const args = ['-e', join(folder, 'error.log'), '-c', file];
    const [[, page], [, main]] = blocksOf('reverse-proxy.md', 'nginx');
    let http: string;
    let plain: number;
    let secured: number;

    beforeAll(async () => {
      const { certificateFile, keyFile } = makeOwnCertificate(folder, 'proxy');
      [plain, secured] = await freePorts(2);
      const text = page
        .replaceAll(/(?<=ssl_certificate )[^;]+/g, certificateFile)
        .replaceAll(/(?<=ssl_certificate_key )[^;]+/g, keyFile)
        .replaceAll(/ *listen \[::\].*\n/g, '')
        .replaceAll('listen 443', `listen 127.0.0.1:${secured}`)
        .replaceAll('listen 80', `listen 127.0.0.1:${plain}`);
      http = `http {\naccess_log off;\n${text}}\n`;
    });

    withNginx('accepts the configuration of the page', () => {
      writeFileSync(file, `pid ${join(folder, 'pid')};\n${main}${http}`);
      const check = () => spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' });
      expect(check().stderr).toContain('test is successful');
      // Without this setting, nginx rejects uploads above 1 MiB, which both hosts accept.
      for (const door of page.split('server_name ').slice(2)) {
        expect(door).toContain('client_max_body_size 0;');
        // Without one of these settings, nginx stores on its disk the bytes that a slow client has not read.
        expect(door).toMatch(/proxy_buffering off;|proxy_max_temp_file_size 0;/);
      }
      writeFileSync(file, `${main}${http.replace('proxy_buffering', 'proxy_bufering')}`);
      expect(check().status).not.toBe(0);
    });

    it('waits longer than the slowest operation of the API', () => {
      const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(page)!;
      expect(Number(seconds) * SECOND_MS).toBeGreaterThan(JOB_WHOIS.limits!.timeoutMs!);
    });

    async function startNginx(text: string) {
      writeFileSync(file, `daemon off;\npid ${join(folder, 'pid')};\n${main}${text}`);
      const nginx = spawn('nginx', args);
      await waitFor('nginx to listen', async () => {
        return (await askPlain().catch(() => undefined))?.status === 301;
      });
      return nginx;
    }
    const askPlain = () =>
      fetch(`http://127.0.0.1:${plain}/`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(5_000),
      });

    withNginx(
      'S8: nginx does not log a key in a query string, even if the service is down',
      async () => {
        const [closed] = await freePorts(1);
        const nginx = await startNginx(http.replace('127.0.0.1:8080', `127.0.0.1:${closed}`));
        const headers = { host: 'api.example.com' };
        const options = { port: secured, host: '127.0.0.1', path: '/?apiKey=canary', headers };
        const request = get({ ...options, agent: false, rejectUnauthorized: false });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        expect(response.resume().statusCode).toBe(502);
        nginx.kill();
        await once(nginx, 'exit');
        expect(readFileSync(join(folder, 'error.log'), 'utf8')).not.toContain('canary');
      },
    );

    withNginx(
      'S126: unfinished handshakes of one client leave connections for others',
      async () => {
        const nginx = await startNginx(http);
        const sockets = Array.from({ length: 1_000 }, () =>
          connect({ port: secured, host: '127.0.0.1', localAddress: '127.0.0.2' }).on(
            'error',
            () => {},
          ),
        );
        // Sends the first byte of a handshake, so that nginx waits for the rest.
        await Promise.all(
          sockets.map((socket) => new Promise<void>((sent) => socket.write('\x16', () => sent()))),
        );
        expect((await askPlain()).status).toBe(301);
        for (const socket of sockets) socket.destroy();
        nginx.kill();
        await once(nginx, 'exit');
      },
    );

    withNginx(
      'S126: the networks of an IPv6 site share a limit, and others are served',
      async () => {
        const held: Socket[] = [];
        const silent = createServer((socket) => void held.push(socket)).listen(0, '127.0.0.1');
        await once(silent, 'listening');
        const { port } = silent.address() as AddressInfo;
        const nginx = await startNginx(
          http
            .replace('{', '{\nset_real_ip_from 127.0.0.1;\nreal_ip_header X-Client;\n')
            .replace('dds_networks 100', 'dds_networks 2')
            .replace('dds_sites 400', 'dds_sites 4')
            .replace('127.0.0.1:8080', `127.0.0.1:${port}`),
        );
        const clients: ClientRequest[] = [];
        /** Returns the status of a refusal, or 0 once the request has reached the service, which does not answer. */
        async function ask(client: string): Promise<number> {
          const before = held.length;
          const headers = { host: 'api.example.com', 'x-client': client };
          const options = { port: secured, host: '127.0.0.1', headers, agent: false };
          const request = get({ ...options, rejectUnauthorized: false }).on('error', () => {});
          clients.push(request);
          let status = 0;
          request.on('response', (response) => (status = response.resume().statusCode!));
          await waitFor('an answer', () => status !== 0 || held.length > before);
          return status;
        }
        const answers: number[] = [];
        for (const network of ['1', '1', '1', '2', '2', 'a0a', 'b']) {
          answers.push(await ask(`2001:db8:7:${network}::${answers.length + 1}`));
        }
        expect(answers).toEqual([0, 0, 503, 0, 0, 503, 503]);
        expect(await ask('2001:db8:8:1::1')).toBe(0);
        expect([await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([0, 0]);
        expect([await ask('192.0.2.1'), await ask('192.0.2.2')]).toEqual([503, 0]);
        for (const request of clients) request.destroy();
        for (const socket of held) socket.destroy();
        silent.close();
        nginx.kill();
        await once(nginx, 'exit');
      },
    );
  });

  (has('systemd-analyze') ? it : it.skip)('systemd accepts every unit of the page', () => {
    const units = blocksOf('production.md', 'ini').flatMap(([, text]) => {
      const name = /^# \/etc\/systemd\/system\/(\S+)$/m.exec(text)?.[1];
      if (name === undefined) return [];
      // The test installation is not in the folder that the page names.
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
