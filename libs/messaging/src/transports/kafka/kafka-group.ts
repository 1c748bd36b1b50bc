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
  /** The group's name without the deployment's prefix. */
  group: string;
  topics: string[];
  /**
   * A `durable` group reads from the beginning, and later from the committed offset. A `watching` group reads only new
   * messages, and is deleted when it is closed.
   */
  kind: 'durable' | 'watching';
  /** Handles messages of one partition; if it throws, the messages are delivered again. */
  take: (messages: EventMessage[]) => Promise<void>;
  /** Called if the consumer has ended permanently and cannot restart itself. */
  onDeath: (error: Error) => void;
}

export interface GroupHealth {
  group: string;
  isMember: boolean;
  /** Time since the last answer to a fetch or, before the first answer, since the start. */
  lastPollAgeMs: number;
}

/** The maximum number of messages that share a transaction and an offset commit. */
const BATCH_LIMIT = 200;
/**
 * The session timeout. A killed member's partitions are not read until its session expires and the others have sent
 * their next heartbeat and rejoined. This takes at most 12 s, even on a busy machine.
 */
const SESSION_LIMIT_MS = 8 * SECOND_MS;
const HEARTBEAT_MS = SECOND_MS;
/**
 * The number of partitions handled in parallel, each in its own transactions. This is safe because kafkajs waits for
 * all of them before it rejoins (2.2.4, workerQueue.js) and `take` never throws to it.
 */
const PARTITIONS_AT_A_TIME = 4;
const REBALANCE_LIMIT_MS = 60 * SECOND_MS;
/**
 * How long a broker holds a fetch for which it has no records. A stop waits for the running fetch, and the start of a
 * watching group for its first one.
 */
const FETCH_WAIT_MS = 100;
/**
 * Longer than a session: if the leader of the group dies before it assigns the partitions, the broker answers the
 * others only when the leader's session has expired.
 */
const REQUEST_LIMIT_MS = SESSION_LIMIT_MS + 2 * SECOND_MS;
/**
 * How long a starting service waits for the group to find the current end of its topics; after that, it continues
 * without the group.
 */
const JOIN_WAIT_MS = 3 * SECOND_MS;
const RETRY_MS = SECOND_MS;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = SECOND_MS;
const CLOSE_LIMIT_MS = 20 * SECOND_MS;

/** A connected kafkajs consumer; it is replaced as a whole when it crashes. */
interface Member {
  client: KafkaClient;
  consumer: Consumer;
}

/**
 * A member of a consumer group. No error of `take` reaches kafkajs, which would stop permanently on some errors and
 * block the partition on others: the partition pauses and the messages are read again. If kafkajs gives up, as it does
 * in an outage, a new member takes its place.
 */
export class KafkaGroup {
  private readonly name: string;
  private readonly pauses = new Map<string, number>();
  private readonly ending = new AbortController();
  private readonly ready = Promise.withResolvers<void>();
  private member: Member | undefined;
  private isMember = false;
  private isFailing = false;
  private lastPollAt = monotonicMs();
  private opening: Promise<void> | undefined;

  constructor(private readonly options: KafkaGroupOptions) {
    this.name = `${options.config.kafkaPrefix}${options.group}`;
  }

  /**
   * Joins the group. For a durable group, this resolves at once, because the group receives everything however late it
   * joins: after a kill, the broker admits no member until the dead member's session has expired, and the service
   * answers in the meantime. For a watching group, it resolves when the current end of the topics is known, but at the
   * latest after 3 s, because a service must start even without its broker.
   */
  async start(): Promise<void> {
    this.opening = this.open();
    if (this.options.kind === 'durable') return;
    await Promise.race([this.ready.promise, sleep(JOIN_WAIT_MS, undefined, { ref: false })]);
  }

  health(): GroupHealth {
    const { name: group, isMember } = this;
    return { group, isMember, lastPollAgeMs: monotonicMs() - this.lastPollAt };
  }

  /**
   * Finishes the current batch, commits and leaves; after 20 s, the member is forced to leave. A watching group is
   * deleted.
   */
  async close(): Promise<void> {
    this.ending.abort();
    try {
      await withinTime(this.leave(), CLOSE_LIMIT_MS, `leaving ${this.name}`);
    } catch (error) {
      this.options.logger.warn(`${this.name} did not leave cleanly`, error);
    }
    this.isMember = false;
    this.member?.client.cut();
  }

  private async leave(): Promise<void> {
    await this.member?.consumer.disconnect();
    await this.opening;
    // A start that is still running would continue to read.
    await this.member?.consumer.disconnect();
    if (this.options.kind === 'watching' && this.isMember) await this.deleteGroup();
  }

  private async deleteGroup(): Promise<void> {
    const admin = this.member?.client.kafka.admin({ retry: { retries: 3 } });
    try {
      await admin?.connect();
      await admin?.deleteGroups([this.name]);
    } catch {
      // The broker deletes an empty group after the retention time of offsets.
    } finally {
      await admin?.disconnect();
    }
  }

  /** Opens a consumer, with retries until the consumer runs or the group is closed. */
  private async open(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const member = this.newMember();
      this.member = member;
      try {
        await this.run(member.consumer);
        return;
      } catch (error) {
        member.client.cut();
        this.fails(error);
        await this.untilRetry();
      }
    }
  }

  private newMember(): Member {
    const { config } = this.options;
    const retry = { retries: 3, initialRetryTime: 200, maxRetryTime: SECOND_MS };
    const client = new KafkaClient(config, { requestTimeout: REQUEST_LIMIT_MS, retry });
    const consumer = client.kafka.consumer({
      groupId: this.name,
      sessionTimeout: SESSION_LIMIT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_LIMIT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      // kafkajs would restart only after some errors, and could not be stopped in the meantime.
      retry: { ...retry, restartOnFailure: async () => false },
    });
    const member = { client, consumer };
    this.observe(member);
    return member;
  }

  private async run(consumer: Consumer): Promise<void> {
    const { config, topics, kind } = this.options;
    await consumer.connect();
    await consumer.subscribe({
      topics: topics.map((topic) => `${config.kafkaPrefix}${topic}`),
      fromBeginning: kind === 'durable',
    });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_A_TIME,
      eachBatch: (payload) => this.takeBatch(payload),
    });
  }

  private observe(member: Member): void {
    const { consumer } = member;
    const { GROUP_JOIN, FETCH, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, () => {
      if (this.isFailing) this.options.logger.info(`${this.name} has joined`);
      [this.isMember, this.isFailing] = [true, false];
    });
    consumer.on(FETCH, () => {
      this.lastPollAt = monotonicMs();
      this.ready.resolve();
    });
    consumer.on(CRASH, ({ payload: { error } }) => this.crashed(member, error));
  }

  private crashed(member: Member, error: Error): void {
    this.isMember = false;
    member.client.cut();
    if (this.ending.signal.aborted || member !== this.member) return;
    if (isFatal(error)) {
      this.options.onDeath(error);
      return;
    }
    this.fails(error);
    this.opening = this.untilRetry().then(() => this.open());
  }

  /** Logs a failure once until the group works again. */
  private fails(error: unknown): void {
    if (!this.isFailing) {
      const { config, logger } = this.options;
      const what = isUnreached(error)
        ? 'Kafka (KAFKA_BROKERS) does not answer: retried until it does'
        : `${this.name} retries until it joins`;
      logger.warn(what, {
        group: this.name,
        brokers: config.kafkaBrokers.join(','),
        reason: error instanceof Error ? error.message : String(error),
      });
    }
    this.isFailing = true;
  }

  private async untilRetry(): Promise<void> {
    await sleep(RETRY_MS, undefined, { signal: this.ending.signal }).catch(() => {});
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

  /** Handles a batch. @returns false if the partition pauses; the messages are then delivered again. */
  private async took(events: EventMessage[], payload: EachBatchPayload): Promise<boolean> {
    const { topic, partition } = payload.batch;
    const place = `${topic}/${partition}`;
    // The consumer notices a lost membership only at the heartbeat after the batch.
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
}

/** True if no broker could be reached, or if a reached broker did not answer. */
function isUnreached(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (/^KafkaJS(Connection|RequestTimeout)/.test(link.name)) return true;
  }
  return false;
}

/**
 * True for errors that only a defect can cause: a new member would get the same error. A broker's refusal is not one,
 * even if the broker calls it permanent: rights may be granted later, and members of another release leave the group.
 */
function isFatal(error: Error): boolean {
  const defects = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'];
  for (let link: unknown = error; link instanceof Error; link = link.cause) {
    if (defects.includes(link.name)) return true;
  }
  return false;
}
