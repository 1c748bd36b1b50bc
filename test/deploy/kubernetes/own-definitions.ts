import type { CustomResourceDefinition, JsonSchema } from './custom-definitions.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const flag = { type: 'boolean' };
const oneOf = (...words: string[]): JsonSchema => ({ type: 'string', enum: words });
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const object = (properties: Record<string, JsonSchema>, ...required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** Of Strimzi, which publishes no module: what the chart uses, as its version 1.2 has it. */
export const OWN_DEFINITIONS: CustomResourceDefinition[] = [
  definition('kafka.strimzi.io', 'KafkaNodePool', {
    ...object(
      {
        replicas: { ...whole, minimum: 0 },
        roles: listOf(oneOf('controller', 'broker')),
        storage: object(
          {
            type: oneOf('ephemeral', 'persistent-claim', 'jbod'),
            volumes: listOf(
              object(
                {
                  id: { ...whole, minimum: 0 },
                  type: oneOf('ephemeral', 'persistent-claim'),
                  size: text,
                  class: text,
                  deleteClaim: flag,
                  kraftMetadata: oneOf('shared'),
                },
                'type',
              ),
            ),
          },
          'type',
        ),
      },
      'replicas',
      'storage',
      'roles',
    ),
  }),
  definition(
    'kafka.strimzi.io',
    'Kafka',
    object(
      {
        kafka: object(
          {
            version: text,
            listeners: listOf(
              object(
                {
                  name: { ...text, pattern: '^[a-z0-9]{1,11}$' },
                  port: { ...whole, minimum: 9092 },
                  type: oneOf('internal', 'cluster-ip', 'loadbalancer', 'nodeport', 'ingress'),
                  tls: flag,
                  authentication: object({ type: oneOf('tls', 'scram-sha-512', 'custom') }, 'type'),
                },
                'name',
                'port',
                'type',
                'tls',
              ),
            ),
            authorization: object(
              { type: oneOf('simple', 'custom'), superUsers: listOf(text) },
              'type',
            ),
            config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
          'listeners',
        ),
        entityOperator: object({ userOperator: object({}), topicOperator: object({}) }),
      },
      'kafka',
    ),
  ),
  definition(
    'kafka.strimzi.io',
    'KafkaUser',
    object({
      authentication: object({ type: oneOf('tls', 'tls-external', 'scram-sha-512') }, 'type'),
      authorization: object(
        {
          type: oneOf('simple'),
          acls: listOf(
            object(
              {
                resource: object(
                  {
                    type: oneOf('topic', 'group', 'cluster', 'transactionalId'),
                    name: text,
                    patternType: oneOf('literal', 'prefix'),
                  },
                  'type',
                ),
                operations: listOf(
                  oneOf('Read', 'Write', 'Delete', 'Create', 'Describe', 'Alter', 'All'),
                ),
              },
              'resource',
              'operations',
            ),
          ),
        },
        'type',
        'acls',
      ),
    }),
  ),
];

function definition(group: string, kind: string, spec: JsonSchema): CustomResourceDefinition {
  const plural = `${kind.toLowerCase()}s`;
  // Custom resources have only the metadata that every resource has.
  const openAPIV3Schema = object(
    { apiVersion: text, kind: text, metadata: { type: 'object' }, spec },
    'spec',
  );
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
