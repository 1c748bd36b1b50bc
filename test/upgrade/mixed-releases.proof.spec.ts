import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { createDatabase, runCli } from '../../apps/cluster/src/backing/operator-commands.js';
import type { RunningCluster } from '../../apps/cluster/src/cluster.js';
import type { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import { SERVICES } from '../../apps/services.js';
import { pressButton } from '../billing/hosted-page.js';
import { Customer } from '../stories/customer.js';
import { describeOnCluster, openCluster } from '../stories/deployment.js';
import { type Release, ReleaseHistory } from './releases.js';
import { git } from '../tidy/history.js';

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** The whole tree of a release in a separate folder, compiled with its own build. */
class ReleaseTree {
  private constructor(private readonly folder: string) {}

  static check(commit: string): ReleaseTree {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    const tree = new ReleaseTree(folder);
    try {
      run('git', ['worktree', 'add', '--detach', '--force', folder, commit], '.');
      tree.install();
      run(process.execPath, ['build.js'], folder);
      return tree;
    } catch (error) {
      tree.remove();
      throw error;
    }
  }

  get apps(): string {
    return join(this.folder, 'dist/apps/');
  }

  /** Settings that make the services of the release read the test's clock, with that release's own module. */
  get clockSettings(): Record<string, string> {
    const preload = pathToFileURL(join(this.folder, 'dist/test/environment/preload-file-clock.js'));
    return { NODE_OPTIONS: `--import=${preload.href}` };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    git('worktree', 'prune');
  }

  /** Uses the packages of this tree if both lock files name the same versions. */
  private install(): void {
    const lock = (folder: string) => {
      const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
      const { packages } = JSON.parse(text) as { packages: Record<string, object> };
      return JSON.stringify({ ...packages, '': undefined });
    };
    const here = resolve('node_modules');
    if (lock(this.folder) === lock('.') && existsSync(here)) {
      symlinkSync(here, join(this.folder, 'node_modules'));
    } else run('npm', ['ci', '--ignore-scripts'], this.folder);
  }
}

function run(program: string, args: string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: 'pipe', maxBuffer: OUTPUT_MAX_BYTES });
}

/** A time limit that allows for compiling a release, starting nine processes and replacing each service twice. */
jest.setTimeout(900_000);

const TRIAL = 500;
const BOUGHT = 15_000;
const LOOKUPS = 3;

const history = new ReleaseHistory();

(history.missing() === undefined ? describeOnCluster : describe.skip)(
  'services of the last release together with those of this one',
  () => {
    let tree: ReleaseTree;
    let deployment: Awaited<ReturnType<typeof openCluster>>;

    beforeAll(async () => {
      tree = ReleaseTree.check((history.lastRelease() as Release).commit);
      deployment = await openCluster();
    });
    afterAll(async () => {
      await deployment?.stop();
      tree?.remove();
    });

    it('a database that the last release has migrated can be migrated by this release', async () => {
      const operator = deployment.cluster.settings.operator();
      const url = new URL(operator.DATABASE_ADMIN_URL as string);
      url.pathname = '/upgraded';
      await createDatabase(deployment.cluster.postgres.url, 'upgraded');
      const settings = { ...operator, DATABASE_ADMIN_URL: url.toString() };
      const older = join(tree.apps, 'cli/src/main.js');
      for (const command of ['provision', 'migrate']) await runCli(command, settings, older);
      await runCli('provision', settings);
      await runCli('migrate', settings);
    });

    it.each(SERVICES.map(({ name }) => name))(
      '%s from the last release runs with the other services from this one',
      async (name) => {
        if (!existsSync(join(tree.apps, name))) return;
        const { cluster } = deployment;
        const own = processesOf(cluster, name);
        const dashboard = cluster.process('dashboard') as ServiceProcess;
        // In a release without this service, the gateway serves the dashboard, and owners answer no other caller.
        const isInGateway = !existsSync(join(tree.apps, 'dashboard'));
        const [gateway] = processesOf(cluster, 'gateway');
        const exchanged = isInGateway ? [...new Set([...own, gateway])] : own;
        const DASHBOARD_PORT = new URL(deployment.dashboardUrl).port;
        if (isInGateway) await dashboard.stop();
        for (const process of exchanged) {
          await process.stop();
          await process.start({ ...tree.clockSettings, DASHBOARD_PORT }, tree.apps);
        }
        try {
          await aWholeCustomer(`of-${name}@upgrade.example`);
        } finally {
          for (const process of exchanged) {
            await process.stop();
            await process.start();
          }
          await dashboard.start();
        }
      },
    );

    async function aWholeCustomer(email: string): Promise<void> {
      const customer = new Customer(deployment, email);
      const isServed = async () => (await customer.call('GET', '/api/session')).status < 500;
      await waitFor('the replaced service to be reachable', isServed);
      await customer.join();
      const credits = async () => {
        const { body } = await customer.call('GET', '/api/balance');
        return body.spendable + body.reserved;
      };
      await waitFor('the trial credits', async () => (await credits()) === TRIAL);
      const wish = { product: 'package', credits: BOUGHT, processor: 'stripe' };
      const headers = { 'idempotency-key': email };
      const order = (await customer.call('POST', '/api/orders', wish, headers)).body as OrderAnswer;
      await pressButton(order.redirect_url as string, 'pay');
      await waitFor('what was paid', async () => (await credits()) === TRIAL + BOUGHT);
      for (let n = 0; n < LOOKUPS; n++) {
        const { status, body } = await customer.lookUp(`${n}-${email.replace('@', '-')}.com`);
        expect([status, body.meta?.credits_charged]).toEqual([200, 1]);
      }
      const left = TRIAL + BOUGHT - LOOKUPS;
      await waitFor('what was charged', async () => (await credits()) === left);
      const { password } = customer;
      expect((await customer.call('POST', '/api/account/delete', { password })).status).toBe(200);
      // This is a test key, so calls cost nothing while it still works.
      const keyState = async () => (await customer.lookUp('gone.com', 2, customer.testKey)).status;
      await waitFor('the key to end', async () => (await keyState()) === 403);
      expect((await customer.logIn()).status).toBe(200);
      expect((await customer.call('POST', '/api/account/restore', {})).status).toBe(200);
      await waitFor('the credits to be back', async () => (await credits()) === left);
    }
  },
);

/** Returns the processes of a service; of the two gateways only the first, so that gateways of both releases run. */
const processesOf = ({ processes }: RunningCluster, name: string): ServiceProcess[] =>
  processes.filter((process) => process.name === (name === 'gateway' ? 'gateway-1' : name));
