import type { ServiceName } from '#libs/platform';
import { topicOf } from '../../envelope/bucket.js';
import type { ConsumerLag } from '../../event-transport.js';
import type { EventsConfig } from '../../events.config.js';
import { withAdmin } from './kafka-client.js';

/**
 * Returns how many records of each producer a durable group has not committed yet.
 * @param group without the deployment's prefix.
 */
export async function lagOf(
  config: EventsConfig,
  group: string,
  producers: ServiceName[],
): Promise<ConsumerLag[]> {
  const topics = producers.map((producer) => `${config.kafkaPrefix}${topicOf(producer)}`);
  return withAdmin(config, async (admin) => {
    const committed = await admin.fetchOffsets({
      groupId: `${config.kafkaPrefix}${group}`,
      topics,
    });
    return Promise.all(
      producers.map(async (producer, i) => {
        const ends = await admin.fetchTopicOffsets(topics[i]);
        const places = committed.find((each) => each.topic === topics[i])?.partitions ?? [];
        const placeOf = new Map(places.map(({ partition, offset }) => [partition, Number(offset)]));
        const events = ends.reduce((sum, { partition, high, low }) => {
          // -1: nothing has been committed yet, so the group still has to read all stored records.
          const place = Math.max(placeOf.get(partition) ?? -1, Number(low));
          return sum + Number(high) - place;
        }, 0);
        return { producer, events };
      }),
    );
  });
}
