import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, ITopicConfig, ITopicMetadata } from 'kafkajs';
import { allEventClasses, describeEvent, producerOf } from '#libs/contracts';
import { DAY_MS, counted } from '#libs/platform';
import { BUCKET_COUNT, topicOf } from '../../envelope/bucket.js';
import type { EventsConfig } from '../../events.config.js';
import { withAdmin } from './kafka-client.js';

/**
 * How long topics keep records: for much less time than inbox rows are kept; otherwise, a late redelivery would be
 * handled again.
 */
const RETENTION_MS = 7 * DAY_MS;
const LEADER_ATTEMPTS = 300;
const LEADER_PAUSE_MS = 100;

/** Thrown if a topic exists with another number of partitions. */
export class UnfitTopic extends Error {}

/**
 * Creates the topics that are missing, one for every service that publishes events.
 * @returns the names of the created topics. @throws UnfitTopic if an existing topic has another number of partitions,
 * because the order of events depends on that number; the errors of the broker.
 */
export async function createTopics(config: EventsConfig): Promise<string[]> {
  const producers = new Set(allEventClasses().map((each) => producerOf(describeEvent(each).type)));
  const names = [...producers]
    .map((producer) => `${config.kafkaPrefix}${topicOf(producer)}`)
    .sort();
  return withAdmin(config, async (admin) => {
    const present = await admin.listTopics();
    const missing = names.filter((name) => !present.includes(name));
    // Another process may create these topics at the same moment, so they are checked, too.
    const topics = missing.map((name) => topicOptions(config, name));
    await admin.createTopics({ topics, waitForLeaders: false });
    const faults = (await topicsWithLeaders(admin, names))
      .filter(({ partitions }) => partitions.length !== BUCKET_COUNT)
      .map(({ name, partitions }) => `${name} has ${counted(partitions.length, 'partition')}`);
    if (faults.length === 0) return missing;
    throw new UnfitTopic(
      `${faults.join(', ')} where ${BUCKET_COUNT} are needed: empty it, delete it and repeat`,
    );
  });
}

/**
 * Returns the topics with their leaders. Tries again until the partitions of new topics have leaders.
 * @throws the error of the last attempt.
 */
async function topicsWithLeaders(admin: Admin, topics: string[]): Promise<ITopicMetadata[]> {
  for (let attempts = 1; ; attempts++) {
    try {
      const metadata = await admin.fetchTopicMetadata({ topics });
      const partitions = metadata.topics.flatMap((topic) => topic.partitions);
      if (partitions.every(({ leader }) => leader >= 0)) return metadata.topics;
      throw new Error(`no leader yet for each partition of ${topics.join(', ')}`);
    } catch (error) {
      if (attempts === LEADER_ATTEMPTS) throw error;
      await sleep(LEADER_PAUSE_MS);
    }
  }
}

function topicOptions({ kafkaTopicReplication }: EventsConfig, topic: string): ITopicConfig {
  const options = {
    'retention.ms': String(RETENTION_MS),
    'cleanup.policy': 'delete',
    'min.insync.replicas': String(Math.max(1, kafkaTopicReplication - 1)),
    'unclean.leader.election.enable': 'false',
    // A broker refuses timestamps an hour ahead of its own clock, but a sender whose clock is wrong must still be
    // accepted.
    'message.timestamp.type': 'LogAppendTime',
  };
  return {
    topic,
    numPartitions: BUCKET_COUNT,
    replicationFactor: kafkaTopicReplication,
    configEntries: Object.entries(options).map(([name, value]) => ({ name, value })),
  };
}
