import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { type Logger, SECOND_MS, monotonicMs } from '#libs/platform';
import type { EventMessage } from '../../envelope/event-message.js';
import type { EventsConfig } from '../../events.config.js';
import { withinTime } from '../../inbox/time-limit.js';
import { KafkaClient } from './kafka-client.js';
import { toEventMessage } from './kafka-record.js';

export interface KafkaGroupOptions {
  config: EventsConfig;
  logger: Logger;
  /** Without the deployment's prefix. */
  group: string;
  topics: string[];
  /**
   * `durable`: from the beginning, and on from what was committed. `ephemeral`: from now on; the group goes
   * when it is closed.
   */
  kind: 'durable' | 'ephemeral';
  /** Takes messages of one partition; after a throw they come again. */
  take: (messages: EventMessage[]) => Promise<void>;
  /** The consumer has died and nothing in it will start it again. */
  onDeath: (error: Error) => void;
}

export interface GroupHealth {
  group: string;
  isMember: boolean;
  /** Since the last answer to a fetch; since the start when there was none. */
  lastPollAgeMs: number;
}

/** Messages that share a transaction and a commit of the offset. */
const BATCH_LIMIT = 200;
const SESSION_LIMIT_MS = 10 * SECOND_MS;
const HEARTBEAT_MS = 2 * SECOND_MS;
const REBALANCE_LIMIT_MS = 60 * SECOND_MS;
/** An idle fetch; stopping waits for the one under way. */
const FETCH_WAIT_MS = 200;
const REQUEST_LIMIT_MS = 5 * SECOND_MS;
/** The start of a service waits this long for the group, then goes on without it. */
const JOIN_WAIT_MS = 5 * SECOND_MS;
const RETRY_MS = SECOND_MS;
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 5 * SECOND_MS;
const CLOSE_LIMIT_MS = 20 * SECOND_MS;

/**
 * One member of a consumer group. Nothing that `take` throws reaches kafkajs, which would die of some
 * errors for ever and block the partition for others: the partition pauses and the messages come again.
 */
export class KafkaGroup {
  private readonly client: KafkaClient;
  private readonly consumer: Consumer;
  private readonly name: string;
  private readonly pauses = new Map<string, number>();
  private readonly ending = new AbortController();
  private isMember = false;
  private isFailing = false;
  private lastPollAt = monotonicMs();
  private started: Promise<void> | undefined;

  constructor(private readonly options: KafkaGroupOptions) {
    const { config, group } = options;
    this.name = `${config.kafkaPrefix}${group}`;
    const retry = { retries: 10, initialRetryTime: 300, maxRetryTime: 3 * SECOND_MS };
    this.client = new KafkaClient(config, { requestTimeout: REQUEST_LIMIT_MS, retry });
    this.consumer = this.client.kafka.consumer({
      groupId: this.name,
      sessionTimeout: SESSION_LIMIT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_LIMIT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { ...retry, restartOnFailure: async () => true },
    });
    this.observe();
  }

  /**
   * Joins. Resolves when the first fetch was answered, or after 5 s: a service starts without its broker,
   * and goes on joining.
   */
  async start(): Promise<void> {
    const fetched = new Promise<void>((resolve) => {
      this.consumer.on(this.consumer.events.FETCH, () => resolve());
    });
    this.started = this.run();
    await Promise.race([fetched, sleep(JOIN_WAIT_MS, undefined, { ref: false })]);
  }

  health(): GroupHealth {
    const { name: group, isMember } = this;
    return { group, isMember, lastPollAgeMs: monotonicMs() - this.lastPollAt };
  }

  /** Ends the batch under way, commits, leaves; after 20 s by force. */
  async close(): Promise<void> {
    this.ending.abort();
    try {
      await withinTime(this.leave(), CLOSE_LIMIT_MS, `leaving ${this.name}`);
    } catch (error) {
      this.options.logger.warn(`${this.name} did not leave in order`, error);
    }
    this.client.cut();
  }

  private async leave(): Promise<void> {
    await this.consumer.disconnect();
    await this.started;
    // A start or a restart that was under way would go on reading.
    await this.consumer.disconnect();
    if (this.options.kind === 'ephemeral') await this.deleteGroup();
  }

  private async deleteGroup(): Promise<void> {
    const admin = this.client.kafka.admin({ retry: { retries: 0 } });
    try {
      await admin.connect();
      await admin.deleteGroups([this.name]);
    } catch {
      // An empty group goes by itself after the broker's retention of offsets.
    } finally {
      await admin.disconnect();
    }
  }

  private async run(): Promise<void> {
    const { config, topics, kind, logger } = this.options;
    while (!this.ending.signal.aborted) {
      try {
        await this.consumer.connect();
        await this.consumer.subscribe({
          topics: topics.map((topic) => `${config.kafkaPrefix}${topic}`),
          fromBeginning: kind === 'durable',
        });
        await this.consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: 1,
          eachBatch: (payload) => this.takeBatch(payload),
        });
        return;
      } catch (error) {
        if (!this.isFailing) logger.warn(`${this.name} cannot join yet`, error);
        this.isFailing = true;
        await sleep(RETRY_MS, undefined, { signal: this.ending.signal }).catch(() => {});
      }
    }
  }

  private async takeBatch(payload: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = payload.batch;
    const ownTopic = topic.slice(this.options.config.kafkaPrefix.length);
    for (let start = 0; start < messages.length; start += BATCH_LIMIT) {
      if (!payload.isRunning() || payload.isStale()) return;
      const chunk = messages.slice(start, start + BATCH_LIMIT);
      const events = chunk.map((message) => toEventMessage(ownTopic, partition, message));
      if (!(await this.took(events, payload))) return;
      payload.resolveOffset(chunk[chunk.length - 1].offset);
      if (this.options.kind === 'durable') {
        await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
      }
      await payload.heartbeat();
    }
  }

  /** @returns false when the partition pauses: the messages come again. */
  private async took(events: EventMessage[], payload: EachBatchPayload): Promise<boolean> {
    const { topic, partition } = payload.batch;
    const place = `${topic}/${partition}`;
    // A membership that is lost shows at the heartbeat behind the batch.
    const heartbeats = setInterval(
      () => void payload.heartbeat().catch(() => {}),
      HEARTBEAT_MS / 2,
    );
    try {
      await this.options.take(events);
      this.pauses.delete(place);
      return true;
    } catch (error) {
      this.pause(place, payload.pause(), error);
      return false;
    } finally {
      clearInterval(heartbeats);
    }
  }

  private pause(place: string, resume: () => void, error: unknown): void {
    const before = this.pauses.get(place);
    const pauseMs = before ? Math.min(before * 2, PAUSE_MAX_MS) : PAUSE_MIN_MS;
    this.pauses.set(place, pauseMs);
    if (!before) this.options.logger.warn(`${this.name}: ${place} pauses`, error);
    setTimeout(resume, pauseMs).unref();
  }

  private observe(): void {
    const { consumer } = this;
    const { logger, onDeath } = this.options;
    const { GROUP_JOIN, FETCH, CRASH, STOP } = consumer.events;
    consumer.on(GROUP_JOIN, () => {
      if (this.isFailing) logger.info(`${this.name} has joined again`);
      [this.isMember, this.isFailing] = [true, false];
    });
    consumer.on(FETCH, () => {
      this.lastPollAt = monotonicMs();
    });
    consumer.on(STOP, () => {
      this.isMember = false;
    });
    consumer.on(CRASH, ({ payload: { error, restart } }) => {
      this.isMember = false;
      if (this.ending.signal.aborted) return;
      if (!restart) {
        onDeath(error);
        return;
      }
      if (!this.isFailing) logger.warn(`${this.name} lost its group and joins again`, error);
      this.isFailing = true;
    });
  }
}
