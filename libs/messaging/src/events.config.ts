import {
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { Setting, isLoopbackHost } from '#libs/platform';

/** The mechanisms for logging in. TLS protects the connection, so a plain password is just as safe. */
const SASL_MECHANISMS = ['scram-sha-512', 'plain'] as const;
const HOST_AND_PORT = /^[^\s:,]+:\d{1,5}$/;

/** Selects the transport of events: within the process, or Kafka if brokers are configured. */
export class EventsConfig {
  @Setting({
    env: 'KAFKA_BROKERS',
    about:
      'Bootstrap brokers as host:port, separated by commas. Empty: events stay in the process.',
  })
  @IsArray()
  @Matches(HOST_AND_PORT, { each: true, message: '$property must each be host:port' })
  kafkaBrokers: string[] = [];

  @Setting({
    env: 'KAFKA_PREFIX',
    about: 'Prefix of the names of topics and groups, so that deployments can share a cluster.',
  })
  @IsString()
  @Matches(/^[a-zA-Z0-9._-]{0,100}$/)
  kafkaPrefix: string = '';

  @Setting({
    env: 'KAFKA_TLS',
    about:
      'Use TLS to the brokers and verify their certificates. Required for brokers on other machines; false declares that the network to them is private.',
    defaultText: 'false',
  })
  @ValidateBy({
    name: 'protectsEvents',
    validator: {
      validate: (_tls, given) => tlsFault(configOf(given)) === undefined,
      defaultMessage: (given) => `$property ${tlsFault(configOf(given))}`,
    },
  })
  kafkaTls?: boolean;

  @Setting({
    env: 'KAFKA_TLS_CA',
    about:
      "PEM of the authority that signed the brokers' certificates. Unset: the system's authorities.",
  })
  @IsOptional()
  @IsString()
  kafkaTlsCa?: string;

  @Setting({
    env: 'KAFKA_TLS_FOLDER',
    about:
      'Folder with tls.crt and tls.key: the client certificate for brokers that require one; read at each connection. Brokers can use its common name as the user name.',
  })
  @IsOptional()
  @IsString()
  kafkaTlsFolder?: string;

  @Setting({
    env: 'KAFKA_SASL_USERNAME',
    about:
      'User name at the brokers, with KAFKA_TLS. Required for brokers on other machines, unless KAFKA_TLS_FOLDER is set.',
  })
  @ValidateIf(
    (config: EventsConfig) =>
      config.kafkaTls === true && !config.kafkaTlsFolder && areElsewhere(config),
  )
  @IsString()
  kafkaSaslUsername?: string;

  @Setting({
    env: 'KAFKA_SASL_PASSWORD',
    about: 'Password of KAFKA_SASL_USERNAME.',
    secret: true,
    isFollowed: true,
  })
  @ValidateIf(({ kafkaSaslUsername }: EventsConfig) => !!kafkaSaslUsername)
  @IsString()
  @MinLength(8)
  kafkaSaslPassword?: string;

  @Setting({
    env: 'KAFKA_SASL_MECHANISM',
    about: `How KAFKA_SASL_USERNAME logs in: ${SASL_MECHANISMS.join(' or ')}.`,
  })
  @IsIn(SASL_MECHANISMS)
  kafkaSaslMechanism: (typeof SASL_MECHANISMS)[number] = 'scram-sha-512';

  @Setting({
    env: 'KAFKA_TOPIC_REPLICATION',
    about:
      'Copies of each topic when it is created. To accept an event, all but one of them, and at least one, must be in sync.',
  })
  @IsInt()
  @Min(1)
  @Max(9)
  kafkaTopicReplication: number = 3;
}

const configOf = (given?: ValidationArguments) => given?.object as EventsConfig;

function tlsFault(config: EventsConfig): string | undefined {
  const { kafkaTls, kafkaSaslUsername, kafkaTlsFolder } = config;
  if (kafkaTls !== true && kafkaSaslUsername) return 'must be on when KAFKA_SASL_USERNAME is set';
  if (kafkaTls !== true && kafkaTlsFolder) return 'must be on when KAFKA_TLS_FOLDER is set';
  if (kafkaTls === undefined ? !areElsewhere(config) : typeof kafkaTls === 'boolean')
    return undefined;
  return 'must be true, or false if the network to the brokers is private';
}

const areElsewhere = ({ kafkaBrokers }: EventsConfig) =>
  kafkaBrokers.some((broker) => !isLoopbackHost(broker.replace(/:\d+$/, '')));
