import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeRunFolder, waitFor } from '#test/environment';
import type { ClusterFacts } from './announcement/cluster-facts.js';
import { clusterAvailability } from './cluster.js';

const START_LIMIT_MS = 240_000;
const PROGRAM = new URL('main.js', import.meta.url).pathname;
const { PATH, NODE_COMPILE_CACHE } = process.env;

describe('npm run cluster', () => {
  let folder: string;

  beforeEach(() => {
    folder = makeRunFolder();
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (options: string[], settings: Record<string, string> = {}) => {
    const free = { API_PORT: '0', DASHBOARD_PORT: '0' };
    const env = { PATH, NODE_COMPILE_CACHE, CLUSTER_DATA_DIR: folder, ...free, ...settings };
    return spawnSync(process.execPath, [PROGRAM, ...options], {
      env,
      encoding: 'utf8',
      timeout: 150_000,
    });
  };

  it('an unknown option or an invalid number prevents the start', () => {
    const unknown = run(['--threads', '3']);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain("unknown option '--threads'");
    const none = run(['--gateways', '0']);
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('CLUSTER_GATEWAYS');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('all packages that a machine lacks are reported at once, each once', () => {
    const { status, stderr } = run([], { PATH: folder, HOME: folder });
    expect(status).toBe(1);
    expect(stderr).toBe(
      'A cluster cannot run here: no Java and no Maven on this machine, and no valkey-server or redis-server ' +
        'on this machine. On Debian: apt-get install default-jre-headless maven redis-server\n',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the help names the settings', () => {
    const { status, stdout } = run(['--help']);
    expect(status).toBe(0);
    for (const name of ['CLUSTER_GATEWAYS', 'CLUSTER_DATA_DIR', 'API_PORT']) {
      expect(stdout).toContain(name);
    }
  });

  (clusterAvailability() === undefined ? it : it.skip)(
    'reports its progress, takes free ports for 0, and restarts a killed service',
    async () => {
      const env = {
        PATH,
        NODE_COMPILE_CACHE,
        HOME: process.env.HOME,
        CLUSTER_DATA_DIR: folder,
        CLUSTER_GATEWAYS: '1',
        API_PORT: '0',
        DASHBOARD_PORT: '0',
      };
      const cluster = spawn(process.execPath, [PROGRAM], { env, stdio: 'pipe' });
      let output = '';
      for (const stream of [cluster.stdout, cluster.stderr]) {
        stream.on('data', (text: Buffer) => (output += text.toString()));
      }
      const said = (text: string) =>
        waitFor(
          text,
          () => {
            if (cluster.exitCode !== null) throw new Error(`it has ended: ${output}`);
            return output.includes(text);
          },
          START_LIMIT_MS,
        );
      try {
        await said('is running, a process for each service');
        const steps = output.split('\n').filter((line) => line.endsWith(' …'));
        expect(steps).toEqual([
          'Starting …',
          'Starting PostgreSQL, Kafka, Valkey and the simulators …',
          'Bringing tables and topics up to date …',
          expect.stringMatching(/^Starting .*account, .* and 1 gateway …$/),
          'Creating the demo account …',
        ]);
        await said(
          'The demo account has a plan, invoices, jobs, monitors and, within a minute, 30 days of usage.',
        );
        const facts = JSON.parse(
          readFileSync(join(folder, 'cluster.json'), 'utf8'),
        ) as ClusterFacts;
        process.kill(pidOf(cluster, 'lookup'), 'SIGKILL');
        await said('lookup has ended (SIGKILL) and is being restarted.');
        await said('lookup is up again.');
        const url = `${facts.api_url}/v2.0/whois/live?domainName=first-light.com`;
        const answer = await fetch(url, { headers: { 'x-api-key': facts.demo!.live_key } });
        expect([answer.status, await answer.json()]).toMatchObject([200, { status: true }]);
      } finally {
        cluster.kill('SIGTERM');
        if (cluster.exitCode === null) await once(cluster, 'exit');
      }
      expect(cluster.exitCode).toBe(0);
    },
    2 * START_LIMIT_MS,
  );
});

function pidOf(cluster: ChildProcess, app: string): number {
  const all = execFileSync('ps', ['-ww', '-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const line = all
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find(
      ([, parent, ...args]) =>
        Number(parent) === cluster.pid && args.at(-1)?.endsWith(`apps/${app}/src/main.js`),
    );
  return Number(line?.[0]);
}
