import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCluster, startCluster } from '../../../apps/cluster/src/cluster.js';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { AccountBook } from './account-book.js';
import { Checker } from './checker.js';
import { Customer } from './customer.js';

/** The product as real processes, including billing and a simulated payment processor, and its buyers. */
export class Shop {
  readonly book = new AccountBook();
  readonly checker: Checker;
  readonly customers: Customer[] = [];

  private constructor(
    private readonly cluster: RunningCluster,
    private readonly folder: string,
  ) {
    this.checker = new Checker(cluster.settings, this.book);
  }

  static async open(customers: number): Promise<Shop> {
    const folder = mkdtempSync(join(tmpdir(), 'prove-shop-'));
    const cluster = await startCluster({
      folder,
      payments: 'simulated',
      environment: { dashboard: { DASHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' } },
    });
    const shop = new Shop(cluster, folder);
    try {
      for (let number = 1; number <= customers; number += 1) await shop.welcome(number);
      return shop;
    } catch (error) {
      await shop.close();
      throw error;
    }
  }

  process(name: string): ServiceProcess {
    return this.cluster.process(name) as ServiceProcess;
  }

  sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.checker.query<T>(text, values);
  }

  async close(): Promise<void> {
    await this.checker.stop();
    await this.cluster.stop().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async welcome(number: number): Promise<void> {
    const { gateways, dashboardUrl, mailbox } = this.cluster;
    const [{ apiUrl }] = gateways;
    const customer = new Customer({ apiUrl, dashboardUrl, mailbox }, this.book, number);
    await customer.join();
    this.customers.push(customer);
  }
}
