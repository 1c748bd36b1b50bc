import type { Valkey } from 'iovalkey';
import type { CounterId } from '../counter-id.js';
import type { MemoryRepeatWindow } from '../memory-repeat-window.js';
import { RepeatWindow } from '../repeat-window.js';
import type { ValkeyLink } from './valkey-link.js';

const CHANNEL = 'counters:repeats';
/** How long charged requests are gathered before the other gateways are informed. */
const BATCH_MS = 10;
/** Maximum number of requests in a batch. Further requests are not shared with other gateways. */
const BATCH_MAX = 4_096;
const SENDER_BYTES = 16;
const HASH_BYTES = 8;

/**
 * The repeats of several gateways. Each remembers its own and, every 10 ms, sends the hashes of the charged requests to
 * the others. No request waits for this. Without the server, a repeat that reaches another gateway is charged.
 */
export class ValkeyRepeatWindow extends RepeatWindow {
  private readonly subscriber: Valkey;
  private readonly sender: Buffer;
  private readonly batch = Buffer.alloc(SENDER_BYTES + BATCH_MAX * HASH_BYTES);
  private length = SENDER_BYTES;
  private timer?: NodeJS.Timeout;

  /** @param local stores the repeats, with the same seed on all gateways. */
  constructor(
    private readonly link: ValkeyLink,
    private readonly local: MemoryRepeatWindow,
    gatewayId: string,
  ) {
    super();
    this.sender = Buffer.from(gatewayId.replaceAll('-', ''), 'hex');
    this.sender.copy(this.batch);
    this.subscriber = link.furtherClient();
    // The link logs the same failure.
    this.subscriber.on('error', () => {});
    this.subscriber.on('messageBuffer', (_channel, message: Buffer) => this.hear(message));
  }

  /** Resolves once the subscription works or the server has been found unreachable. */
  async start(): Promise<void> {
    this.subscriber.on('ready', () => void this.listen());
    await this.subscriber.connect().then(
      () => this.listen(),
      () => {},
    );
  }

  isRepeat(id: CounterId, question: string): boolean {
    return this.local.isRepeat(id, question);
  }

  remember(id: CounterId, question: string): void {
    const { local, batch } = this;
    if (!local.remember(id, question) || this.length === batch.length) return;
    batch.writeInt32LE(local.low, this.length);
    batch.writeInt32LE(local.high, this.length + 4);
    this.length += HASH_BYTES;
    this.timer ??= setTimeout(() => this.tell(), BATCH_MS).unref();
  }

  close(): void {
    if (this.length > SENDER_BYTES) this.tell();
    this.subscriber.disconnect();
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const message = Buffer.from(this.batch.subarray(0, this.length));
    this.length = SENDER_BYTES;
    if (this.link.isUsable) void this.link.client.publish(CHANNEL, message).catch(() => {});
  }

  private hear(message: Buffer): void {
    if (message.subarray(0, SENDER_BYTES).equals(this.sender)) return;
    for (let at = SENDER_BYTES; at + HASH_BYTES <= message.length; at += HASH_BYTES) {
      this.local.rememberHash(message.readInt32LE(at), message.readInt32LE(at + 4));
    }
  }

  private async listen(): Promise<void> {
    await this.subscriber.subscribe(CHANNEL).catch(() => {});
  }
}
