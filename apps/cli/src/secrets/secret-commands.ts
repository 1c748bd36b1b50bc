import { type Command, InvalidArgumentError } from 'commander';
import type { ServiceName } from '#libs/platform';
import { schemaServices } from '#libs/services';
import { SERVICES } from '../declared.js';
import { type OutputOptions, answer } from '../output.js';
import { writeSecretFiles } from './secret-files.js';

/** The address of the compose file's database on the internal network. */
const DATABASE = 'postgres:5432/domain_data?sslmode=disable';

interface SecretOptions extends OutputOptions {
  smtpUrl: string;
  database: string;
  ownDatabase: OwnAddresses;
  valkey?: string;
  stripeApiKey?: string;
  stripeCallbackSecret?: string;
  paypalClientSecret?: string;
}

type OwnAddresses = Partial<Record<ServiceName, string>>;

/**
 * Adds one `service=address` to those of earlier options. @throws InvalidArgumentError if the address is missing or the
 * service has no schema.
 */
function withOwnDatabase(text: string, earlier: OwnAddresses): OwnAddresses {
  const names = schemaServices(SERVICES);
  const [name, ...rest] = text.split('=');
  const address = rest.join('=');
  const service = names.find((one) => one === name);
  if (!service || !address) {
    throw new InvalidArgumentError(
      `It must be service=host:port/database, with one of ${names.join(', ')}.`,
    );
  }
  return { ...earlier, [service]: address };
}

export function secretCommands(program: Command): void {
  program
    .command('secrets <folder>')
    .description(
      'create all secrets of a deployment, one file each; existing files are kept, except service secrets whose source has changed',
    )
    .requiredOption(
      '--smtp-url <url>',
      'SMTP server for outgoing mail: smtp://user:password@host:port',
    )
    .option('--database <address>', 'host:port/database as the services see it', DATABASE)
    .option(
      '--own-database <service=address>',
      'host:port/database of a separate database for a service; repeat the option for each service',
      withOwnDatabase,
      {},
    )
    .option('--valkey <address>', 'host:port of a Valkey server with a password')
    .option('--stripe-api-key <key>', 'restricted key of the Stripe account, for billing')
    .option(
      '--stripe-callback-secret <secret>',
      'signing secret of the callback endpoint at Stripe',
    )
    .option('--paypal-client-secret <secret>', 'secret of the PayPal app, for billing')
    .option('--json', 'as JSON: the names of the files that were written')
    .action((folder: string, options: SecretOptions) => {
      const { stripeApiKey: apiKey, stripeCallbackSecret: callbackSecret } = options;
      if ((apiKey === undefined) !== (callbackSecret === undefined)) {
        program.error('--stripe-api-key and --stripe-callback-secret must be given together');
      }
      const stripe = apiKey && callbackSecret ? { apiKey, callbackSecret } : undefined;
      const written = writeSecretFiles({
        folder,
        ...options,
        ownDatabases: options.ownDatabase,
        stripe,
      });
      answer(options, { folder, written }, () => [
        `${folder}: ${written.join(', ') || 'all files exist already'}`,
      ]);
    });
}
