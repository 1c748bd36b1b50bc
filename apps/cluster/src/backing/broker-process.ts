import { KafkaBroker, type KafkaBrokerOptions } from '#test/environment';
import type { ClusterProcess } from '../processes/cluster-process.js';

export class BrokerProcess implements ClusterProcess {
  readonly name = 'kafka';
  /** Always empty, because the broker's log is part of its data. */
  readonly output = '';

  private constructor(private readonly broker: KafkaBroker) {}

  static async open(options: KafkaBrokerOptions): Promise<BrokerProcess> {
    return new BrokerProcess(await KafkaBroker.start(options));
  }

  /** Returns the value of `KAFKA_BROKERS`. */
  get url(): string {
    return this.broker.brokers.join(',');
  }

  get pid(): number {
    return this.broker.pid;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.broker.kill(signal);
  }

  stop(): Promise<void> {
    return this.broker.stop();
  }

  async start(): Promise<void> {
    if (!this.broker.isRunning()) await this.broker.restart();
  }
}
