import type { Command } from 'commander';
import { writeSecretFiles } from './secret-files.js';

const DATABASE = 'postgres:5432/domain_data';

/** `secrets`: what a deployment of several services must not find in its own files. */
export function secretCommands(program: Command): void {
  program
    .command('secrets <folder>')
    .description('make every secret of a deployment, a file each; what is there stays as it is')
    .requiredOption('--smtp-url <url>', 'where mail is handed over: smtp://user:password@host:port')
    .option('--database <address>', 'host:port/database as the services see it', DATABASE)
    .action((folder: string, options: { smtpUrl: string; database: string }) => {
      const written = writeSecretFiles({ folder, ...options });
      process.stdout.write(`${folder}: ${written.join(', ') || 'everything was there'}\n`);
    });
}
